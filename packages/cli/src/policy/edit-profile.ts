/** Makes a profile in a YAML file enforce, by changing only the places that differ: comments and layout stay. */
import type { DiagnosePromotion } from '@writecheck/contract';
import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type YAMLMap } from 'yaml';

const MEMBERS = ['source', 'assessmentRef', 'runRef', 'promotedAt', 'promotedBy', 'status'] as const;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What each assessed requirement gets, by control. */
export type Provenance = ReadonlyMap<string, DiagnosePromotion>;

/**
 * INVARIANT: only assessed requirements change; one that only the file has stays unchanged. Null if the text
 * has no such profile.
 */
export function editedProfile(text: string, profileId: string, provenance: Provenance): string | null {
  const profile = profileIn(text, profileId);
  if (profile === null) return null;
  const edits: Edit[] = [];
  for (const pair of profile.items as Pair<Node, Node | null>[]) {
    const name = isScalar(pair.key) ? pair.key.value : null;
    if (name === 'writePolicy' && isScalar(pair.value) && pair.value.value === 'observe')
      edits.push(replacing(text, pair.value, 'enforce'));
    if (name === 'observeUntil') edits.push(removing(text, pair, profile.flow === true));
    if (name !== 'require' || !isSeq(pair.value)) continue;
    for (const item of pair.value.items as Node[]) {
      const promotedFrom = provenance.get(controlOf(item));
      if (promotedFrom !== undefined) edits.push(stamping(text, item, promotedFrom));
    }
  }
  let edited = text;
  // Edits from the end, so that earlier places do not shift.
  for (const { start, end, text: instead } of edits.sort((a, b) => b.start - a.start))
    edited = edited.slice(0, start) + instead + edited.slice(end);
  return edited;
}

/** The controls that a profile in this text requires; none if it holds no such profile. */
export function requiredIn(text: string, profileId: string): readonly string[] {
  const required = profileIn(text, profileId)?.get('require');
  return isSeq(required) ? (required.items as Node[]).map(controlOf) : [];
}

function profileIn(text: string, profileId: string): YAMLMap | null {
  for (const { contents } of parseAllDocuments(text) as { readonly contents: Node | null }[]) {
    if (isMap(contents) && contents.get('kind') === 'Profile' && contents.get('id') === profileId)
      return contents;
  }
  return null;
}

function replacing(text: string, node: Node, instead: string): Edit {
  const [start, end] = node.range!;
  // A block collection ends with the line break after it.
  return { start, end: start + text.slice(start, end).trimEnd().length, text: instead };
}

function removing(text: string, { key, value }: Pair<Node, Node | null>, isFlow: boolean): Edit {
  const start = key.range![0];
  const end = value?.range?.[1] ?? key.range![1];
  if (isFlow) {
    const comma = /^\s*,\s*/.exec(text.slice(end));
    if (comma !== null) return { start, end: end + comma[0].length, text: '' };
    const before = text.slice(0, start).trimEnd();
    return { start: before.endsWith(',') ? before.slice(0, -1).trimEnd().length : start, end, text: '' };
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  return { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1, text: '' };
}

function controlOf(item: Node): string {
  return String(isMap(item) ? item.get('control') : isScalar(item) ? item.value : '');
}

/** A name becomes a mapping; a mapping gets one more member, so that its comments stay. */
function stamping(text: string, item: Node, promotedFrom: DiagnosePromotion): Edit {
  const provenance = provenanceText(promotedFrom);
  if (!isMap(item)) {
    const control = JSON.stringify(controlOf(item));
    return replacing(text, item, `{ control: ${control}, promotedFrom: ${provenance} }`);
  }
  const pairs = item.items as Pair<Node, Node | null>[];
  const named = (name: string) => pairs.find(({ key }) => isScalar(key) && key.value === name);
  const old = named('promotedFrom')?.value ?? null;
  if (old !== null) return replacing(text, old, provenance);
  const { key, value } = named('control')!;
  const end = value!.range![1];
  if (item.flow === true) return { start: end, end, text: `, promotedFrom: ${provenance}` };
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = ' '.repeat(key.range![0] - (text.lastIndexOf('\n', key.range![0]) + 1));
  const lineEnd = text.indexOf('\n', end);
  const line = `${indent}promotedFrom: ${provenance}`;
  if (lineEnd === -1) return { start: text.length, end: text.length, text: `${lineBreak}${line}` };
  return { start: lineEnd + 1, end: lineEnd + 1, text: `${line}${lineBreak}` };
}

/** Writes flow form, which fits into a list or mapping of either form. */
function provenanceText(promotedFrom: DiagnosePromotion): string {
  const members = MEMBERS.filter((name) => promotedFrom[name] !== undefined).map(
    (name) => `${name}: ${JSON.stringify(promotedFrom[name])}`,
  );
  return `{ ${members.join(', ')} }`;
}
