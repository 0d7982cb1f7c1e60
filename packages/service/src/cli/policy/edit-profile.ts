/** Makes a profile in a YAML file enforce, by changing only the places that differ: comments and layout stay. */
import type { DiagnosePromotion } from '@writecheck/contract';
import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type YAMLMap } from 'yaml';

const MEMBERS = ['source', 'assessmentRef', 'runRef', 'promotedAt', 'promotedBy', 'status'] as const;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Null if the text holds no such profile. */
export function editedProfile(
  text: string,
  profileId: string,
  promotedFrom: DiagnosePromotion | null,
): string | null {
  const profile = profileIn(text, profileId);
  if (profile === null) return null;
  const edits: Edit[] = [];
  for (const pair of profile.items as Pair<Node, Node | null>[]) {
    const name = isScalar(pair.key) ? pair.key.value : null;
    if (name === 'writePolicy' && pair.value !== null) edits.push(replacing(text, pair.value, 'enforce'));
    if (name === 'observeUntil') edits.push(removing(text, pair, profile.flow === true));
    if (name === 'require' && isSeq(pair.value) && promotedFrom !== null) {
      for (const item of pair.value.items as Node[])
        edits.push(replacing(text, item, requirementText(controlOf(item), promotedFrom)));
    }
  }
  let edited = text;
  // From the end, so that earlier places stay where they are.
  for (const { start, end, text: instead } of edits.sort((a, b) => b.start - a.start))
    edited = edited.slice(0, start) + instead + edited.slice(end);
  return edited;
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

/** In flow form, which fits into a list of either form. */
function requirementText(control: string, promotedFrom: DiagnosePromotion): string {
  const members = MEMBERS.filter((name) => promotedFrom[name] !== undefined).map(
    (name) => `${name}: ${JSON.stringify(promotedFrom[name])}`,
  );
  return `{ control: ${JSON.stringify(control)}, promotedFrom: { ${members.join(', ')} } }`;
}
