/** Profiles may have `different`: no person's approval counts for two of the controls in it. */
import { type AttestationChecks, REVIEW_DESK } from '@writecheck/contract';
import {
  distrusted,
  type EvaluatedControl,
  type Evidence,
  evaluateControl,
  goodItems,
  isSatisfied,
} from './evaluate-control.ts';
import type { Profile } from './policy/snapshot.ts';
import type { Purpose } from './why-untrusted.ts';

/** More ways than this of choosing among approvals count as none. */
const CHOICES_MAX = 10_000;

const TOO_FEW_PEOPLE =
  'whoever approved it also approved another control, and the policy requires different people';

/** A satisfied control and the items that satisfy it, the shown one first. */
interface Choice {
  readonly evaluated: EvaluatedControl;
  readonly goodAt: readonly number[];
}

const NO_LISTS: readonly (readonly string[])[] = [];

/** Nearly always empty, and then nothing is allocated. */
export function differentLists(profiles: readonly Profile[]): readonly (readonly string[])[] {
  let lists = NO_LISTS;
  for (let index = 0; index < profiles.length; index += 1) {
    const { different } = profiles[index]!;
    if (different !== null) lists = [...lists, different];
  }
  return lists;
}

/**
 * Chooses an item for each control so that all items come from different people. A control for which no item is left
 * after the controls before it is no longer satisfied. INVARIANT: every good item is tried, so that omitting one never
 * helps.
 */
export function withDifferentPeople(
  controls: readonly EvaluatedControl[],
  lists: readonly (readonly string[])[],
  evidence: Evidence,
  purposes: readonly Purpose[],
): readonly EvaluatedControl[] {
  const adjusted = [...controls];
  const chosen: Choice[] = [];
  const places: number[] = [];
  for (const [place, evaluated] of controls.entries()) {
    const { control } = evaluated;
    if (!isSatisfied(evaluated) || !lists.some((list) => list.includes(control.id))) continue;
    chosen.push({ evaluated, goodAt: goodItems(control, evidence, purposes[place]!) });
    const picked = choose(chosen, lists, evidence);
    if (picked === null) {
      chosen.pop();
      adjusted[place] = distrusted(evaluated, TOO_FEW_PEOPLE);
      continue;
    }
    places.push(place);
    for (const [index, at] of picked.entries()) {
      const { control: one } = chosen[index]!.evaluated;
      const where = places[index]!;
      const alone = { ...evidence, items: [evidence.items[at]!], facts: evidence.facts.slice(at, at + 1) };
      adjusted[where] = evaluateControl(one, alone, purposes[where]!);
    }
  }
  return adjusted;
}

/** One item for each, as places in the evidence; null if one person approves two in every combination. */
function choose(
  choices: readonly Choice[],
  lists: readonly (readonly string[])[],
  evidence: Evidence,
): readonly number[] | null {
  let left = CHOICES_MAX;
  const picked: number[] = [];
  const pickFrom = (index: number): boolean => {
    if (index === choices.length) return true;
    for (const at of choices[index]!.goodAt) {
      left -= 1;
      if (left < 0) return false;
      const clashes = picked.some(
        (other, before) =>
          mustDiffer(choices[before]!, choices[index]!, lists) && shareSomebody(other, at, evidence),
      );
      if (clashes) continue;
      picked.push(at);
      if (pickFrom(index + 1)) return true;
      picked.pop();
    }
    return false;
  };
  return pickFrom(0) ? picked : null;
}

function mustDiffer(a: Choice, b: Choice, lists: readonly (readonly string[])[]): boolean {
  const [one, other] = [a.evaluated.control.id, b.evaluated.control.id];
  return one !== other && lists.some((list) => list.includes(one) && list.includes(other));
}

/** INVARIANT: approvals whose authors are unknown may be of the same person. */
function shareSomebody(one: number, other: number, { items, facts }: Evidence): boolean {
  if (items[one]!.source !== REVIEW_DESK || items[other]!.source !== REVIEW_DESK) return false;
  const people = approversOf(facts[one]);
  const others = approversOf(facts[other]);
  if (people.length === 0 || others.length === 0) return true;
  return people.some((person) => others.includes(person));
}

function approversOf(facts: AttestationChecks | undefined): readonly string[] {
  return facts?.kind === 'verified' ? (facts.approval?.by ?? []) : [];
}
