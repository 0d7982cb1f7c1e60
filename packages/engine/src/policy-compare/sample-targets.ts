/**
 * The writes that two bundles cover: one for every match value, and for every value that a condition compares with.
 */
import { given, type JsonObject, type WriteIntent } from '@writecheck/contract';
import { parseCondition } from '../conditions/parse.ts';
import { partsOf } from '../conditions/path-text.ts';
import type { Node } from '../conditions/tree.ts';
import type { PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { MATCH_MEMBERS } from '../policy/match.ts';

type Target = Pick<WriteIntent, 'system' | 'objectType' | 'field' | 'operation' | 'metadata'>;
type Names = { -readonly [K in (typeof MATCH_MEMBERS)[number]]?: string };

const ALTERNATIVES_MAX = 8;
/** A person reads them in an example, so they look like a write. */
const ELSEWHERE: Names = {
  system: 'another-system',
  objectType: 'record',
  field: 'note',
  operation: 'record.update',
};

export function sampleTargets(documents: readonly PolicyDocument[]): readonly Target[] {
  const targets = new Map<string, Target>();
  const add = (target: Target) => targets.set(JSON.stringify(target), target);
  add({ ...ELSEWHERE, system: ELSEWHERE.system! });
  for (const document of documents) {
    if (document.kind === 'Defaults' && typeof document.unmatched === 'object') {
      for (const names of matchSamples({ match: document.unmatched.pause }))
        add({ ...names, system: names.system ?? ELSEWHERE.system! });
    }
    if (document.kind !== 'Profile') continue;
    const conditions = document.when === undefined ? [{}] : conditionSamples(document.when);
    for (const names of matchSamples(document)) {
      for (const { metadata, ...members } of conditions) {
        const target = { ...names, ...members, ...given({ metadata }) };
        add({ ...target, system: target.system ?? ELSEWHERE.system! });
      }
    }
  }
  return [...targets.values()];
}

/**
 * The first value of every member, then each other value of one member at a time, then each member omitted. A write
 * mostly has a `field` or an `operation`; the one that a match does not name is added last.
 */
function matchSamples({ match = {} }: Pick<ProfileDocument, 'match'>): readonly Names[] {
  const values = MATCH_MEMBERS.map((member) => {
    const pattern = match[member];
    if (pattern === undefined) return [ELSEWHERE[member]!];
    const list = typeof pattern === 'string' ? [pattern] : pattern.slice(0, ALTERNATIVES_MAX);
    return list.map((one) => nameLike(one, member));
  });
  const unnamed = match.operation === undefined ? 'operation' : match.field === undefined ? 'field' : null;
  const first: Names = {};
  for (const [at, member] of MATCH_MEMBERS.entries()) if (member !== unnamed) first[member] = values[at]![0]!;
  const samples = [first];
  for (const [at, member] of MATCH_MEMBERS.entries()) {
    for (const value of values[at]!.slice(1)) samples.push({ ...first, [member]: value });
    if (member === 'system' || match[member] === undefined) continue;
    const { [member]: _left, ...others } = first;
    samples.push(others);
  }
  if (unnamed !== null) samples.push({ ...first, [unnamed]: ELSEWHERE[unnamed]! });
  return samples;
}

/** A name that the pattern matches, and that no exact pattern beside it names. */
function nameLike(pattern: string, member: (typeof MATCH_MEMBERS)[number]): string {
  if (pattern === '*') return ELSEWHERE[member]!;
  const word = member === 'operation' ? 'create' : 'other';
  const joint = (neighbour: string | undefined) => (/[a-z0-9]/i.test(neighbour ?? '') ? '-' : '');
  return pattern.replaceAll(
    '*',
    (_star, at: number) => `${joint(pattern[at - 1])}${word}${joint(pattern[at + 1])}`,
  );
}

interface Comparison {
  readonly members: readonly string[];
  readonly values: readonly (string | number | boolean)[];
}

/** Intents around each threshold of a condition, and one that omits the members it reads. */
function conditionSamples(source: string): readonly Partial<WriteIntent>[] {
  const parsed = parseCondition(source);
  if (parsed.kind === 'fault') return [{}];
  const comparisons: Comparison[] = [];
  collect(parsed.tree, comparisons);
  const first = comparisons.map(({ members, values }) => ({ members, value: values[0]! }));
  const samples: Partial<WriteIntent>[] = [{}];
  comparisons.slice(0, ALTERNATIVES_MAX).forEach(({ members, values }, at) => {
    for (const value of values)
      samples.push(intentWith(first.map((one, index) => (index === at ? { members, value } : one))));
  });
  return samples;
}

function collect(node: Node, comparisons: Comparison[]): void {
  const parts = partsOf(node);
  if (node.kind === 'call' || node.kind === 'binary') {
    const [left, right] = parts;
    const path = left?.kind === 'path' ? left : right?.kind === 'path' ? right : null;
    const literal = path === left ? right : left;
    if (path?.root === 'intent' && path.members.every((step) => typeof step === 'string'))
      comparisons.push({ members: path.members, values: valuesAround(literal) });
  }
  for (const part of parts) collect(part, comparisons);
}

function valuesAround(node: Node | undefined): readonly (string | number | boolean)[] {
  if (node?.kind === 'list') return [...node.elements.flatMap(valuesAround).slice(0, 4), 'elsewhere'];
  if (node?.kind !== 'literal') return ['2026-01-01T00:00:00Z', 'x'];
  const { value } = node;
  if (typeof value === 'boolean') return [true, false];
  if (typeof value === 'string') return [value, otherThan(value), 'elsewhere'];
  return [Number(value), Number(value) + 1, Number(value) - 1];
}

/** Another value of the same sort, so that an example reads like a write: another currency, another tier. */
function otherThan(value: string): string {
  if (/^[A-Z]{3}$/.test(value)) return value === 'USD' ? 'EUR' : 'USD';
  return `other-${value}`;
}

function intentWith(
  assignments: readonly {
    readonly members: readonly string[];
    readonly value: string | number | boolean;
  }[],
): Partial<WriteIntent> {
  const intent: { [member: string]: unknown } = {};
  for (const { members, value } of assignments) {
    let object = intent;
    for (const member of members.slice(0, -1)) {
      if (typeof object[member] !== 'object') object[member] = {};
      object = object[member] as { [member: string]: unknown };
    }
    const last = members.at(-1);
    if (last !== undefined) object[last] = value;
  }
  const { metadata, ...names } = intent as { metadata?: JsonObject };
  return { ...names, ...given({ metadata }) };
}
