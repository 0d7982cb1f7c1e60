/** Tells which of `field` and `operation` a profile is about: an executor may act on either if an intent sends both. */
import { parseCondition } from '../conditions/parse.ts';
import { pathsIn } from '../conditions/path-text.ts';
import type { ProfileDocument } from '../policy/documents.ts';

export type Side = 'field' | 'operation';
const SIDES: readonly Side[] = ['field', 'operation'];

type Speaking = Pick<ProfileDocument, 'match' | 'when'>;

/** What it covers of an intent that sends both: the one it is about, or both if it is about neither. */
export function sidesOf(profile: Speaking): readonly Side[] {
  const spoken = SIDES.filter((side) => speaksOf(profile, side));
  return spoken.length === 0 ? SIDES : spoken;
}

/** The only one that it is about; null if it is about both or neither. */
export function onlySideOf(profile: Speaking): Side | null {
  const [side, other] = sidesOf(profile);
  return other === undefined ? side! : null;
}

/** Whether it matches on it, or reads it in its condition. */
function speaksOf({ match = {}, when }: Speaking, side: Side): boolean {
  return match[side] !== undefined || (when !== undefined && membersRead(when).has(side));
}

/** The members of the intent that a condition reads; `metadata` with its path. */
export function membersRead(when: string): ReadonlySet<string> {
  const read = new Set<string>();
  const parsed = parseCondition(when);
  if (parsed.kind !== 'tree') return read;
  for (const { root, members } of pathsIn(parsed.tree)) if (root === 'intent') read.add(members.join('.'));
  return read;
}

/** The controls whose facts a condition reads. */
export function factsReadBy(when: string): ReadonlySet<string> {
  const parsed = parseCondition(when);
  if (parsed.kind !== 'tree') return new Set();
  return new Set(
    pathsIn(parsed.tree).flatMap(({ root, members }) => (root === 'facts' ? [String(members[0])] : [])),
  );
}
