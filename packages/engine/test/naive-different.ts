/** The model's version of `different`: it tries every way of choosing one good item for each control. */
import { type Evidence, isOfDesk } from './naive-evidence.ts';

export interface Chooser {
  readonly controlId: string;
  /** The one that is shown first. */
  readonly good: readonly Evidence[];
}

const approvers = ({ facts }: Evidence): readonly string[] =>
  facts.kind === 'verified' ? (facts.approval?.by ?? []) : [];

function samePerson(a: Evidence, b: Evidence): boolean {
  if (!isOfDesk(a) || !isOfDesk(b)) return false;
  const unknown = approvers(a).length === 0 || approvers(b).length === 0;
  return unknown || approvers(a).some((person) => approvers(b).includes(person));
}

function* ways(choosers: readonly Chooser[]): Generator<readonly Evidence[]> {
  const [first, ...rest] = choosers;
  if (first === undefined) yield [];
  else for (const one of first.good) for (const others of ways(rest)) yield [one, ...others];
}

/** One item for each; null for a control without an item that differs from those before it. */
export function withDifferentPeople(
  choosers: readonly Chooser[],
  lists: readonly (readonly string[])[],
): readonly (Evidence | null)[] {
  const mustDiffer = (a: Chooser, b: Chooser) =>
    a.controlId !== b.controlId &&
    lists.some((list) => list.includes(a.controlId) && list.includes(b.controlId));
  const found: (Evidence | null)[] = [];
  let kept: readonly Chooser[] = [];
  for (const chooser of choosers) {
    const tried = [...kept, chooser];
    const good = [...ways(tried)].find((way) =>
      tried.every((a, i) =>
        tried.every((b, j) => i >= j || !mustDiffer(a, b) || !samePerson(way[i]!, way[j]!)),
      ),
    );
    if (good !== undefined) {
      kept = tried;
      for (const [at, one] of kept.entries()) found[choosers.indexOf(one)] = good[at]!;
    } else found[choosers.indexOf(chooser)] = null;
  }
  return found;
}
