/** Profiles may have `different`: no person's approval counts for two of the controls in it. */
import { type AttestationChecks, type EvidenceItem, REVIEW_DESK } from '@writecheck/contract';
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

/** Comparisons of two approvals, for all controls of a reading; beyond them no way of choosing counts as found. */
const COMPARISONS_MAX = 100_000;

const TOO_FEW_PEOPLE =
  'whoever approved it also approved another control, and the policy requires different people';

/** A satisfied control and the items that satisfy it, the shown one first. */
interface Choice {
  /** Its place among the controls. */
  readonly place: number;
  readonly evaluated: EvaluatedControl;
  readonly goodAt: readonly number[];
}

/** Which controls people may not approve two of. Many long lists repeat each other: every pair is noted once. */
class Pairs {
  readonly #places: ReadonlyMap<string, number>;
  readonly #noted: Uint8Array;

  constructor(controlIds: readonly string[], lists: readonly (readonly string[])[]) {
    const places = new Map([...new Set(controlIds)].map((id, place) => [id, place]));
    this.#places = places;
    this.#noted = new Uint8Array(places.size * places.size);
    for (const list of lists) {
      const named = list.flatMap((id) => places.get(id) ?? []);
      for (const one of named) for (const other of named) this.#noted[one * places.size + other] = 1;
    }
  }

  mustDiffer(one: string, other: string): boolean {
    const place = this.#places.get(one)! * this.#places.size + this.#places.get(other)!;
    return one !== other && this.#noted[place] === 1;
  }
}

const NO_LISTS: readonly (readonly string[])[] = [];

/** Nearly always empty, and then nothing is allocated. */
export function differentLists(profiles: readonly Profile[]): readonly (readonly string[])[] {
  let lists: (readonly string[])[] | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const { different } = profiles[index]!;
    if (different === null) continue;
    lists ??= [];
    lists.push(different);
  }
  return lists ?? NO_LISTS;
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
  // Only approvals can be of one person.
  if (!evidence.items.some(isOfDesk)) return controls;
  const adjusted = [...controls];
  const choices = choicesAmong(controls, lists, evidence, purposes);
  const pairs = new Pairs(
    choices.map(({ evaluated }) => evaluated.control.id),
    lists,
  );
  let chosen: readonly Choice[] = [];
  let picked: readonly number[] = [];
  const budget = { left: COMPARISONS_MAX };
  for (const choice of choices) {
    const tried = [...chosen, choice];
    // The first way for all is the first way for those before, if that leaves an item for this one.
    const way = choose(tried, picked, pairs, evidence, budget) ?? choose(tried, [], pairs, evidence, budget);
    if (way === null) {
      adjusted[choice.place] = distrusted(choice.evaluated, TOO_FEW_PEOPLE);
      continue;
    }
    chosen = tried;
    picked = way;
  }
  for (const [index, at] of picked.entries()) {
    const { place, evaluated } = chosen[index]!;
    const alone = { ...evidence, items: [evidence.items[at]!], facts: evidence.facts.slice(at, at + 1) };
    adjusted[place] = evaluateControl(evaluated.control, alone, purposes[place]!);
  }
  return adjusted;
}

/** The satisfied controls that a list names. */
function choicesAmong(
  controls: readonly EvaluatedControl[],
  lists: readonly (readonly string[])[],
  evidence: Evidence,
  purposes: readonly Purpose[],
): readonly Choice[] {
  const listed = new Set(lists.flat());
  const choices: Choice[] = [];
  for (const [place, evaluated] of controls.entries()) {
    const { control } = evaluated;
    if (!isSatisfied(evaluated) || !listed.has(control.id)) continue;
    choices.push({ place, evaluated, goodAt: goodItems(control, evidence, purposes[place]!) });
  }
  return choices;
}

/** One item for each, as places in the evidence; null if one person approves two in every combination. */
function choose(
  choices: readonly Choice[],
  first: readonly number[],
  pairs: Pairs,
  evidence: Evidence,
  budget: { left: number },
): readonly number[] | null {
  const picked = [...first];
  const pickFrom = (index: number): boolean => {
    if (index === choices.length) return true;
    const { goodAt, evaluated } = choices[index]!;
    for (const at of goodAt) {
      budget.left -= 1 + picked.length;
      if (budget.left < 0) return false;
      const clashes = picked.some(
        (other, before) =>
          pairs.mustDiffer(choices[before]!.evaluated.control.id, evaluated.control.id) &&
          shareSomebody(other, at, evidence),
      );
      if (clashes) continue;
      picked.push(at);
      if (pickFrom(index + 1)) return true;
      picked.pop();
    }
    return false;
  };
  return pickFrom(first.length) ? picked : null;
}

/** INVARIANT: approvals whose authors are unknown may be of the same person. */
function shareSomebody(one: number, other: number, { items, facts }: Evidence): boolean {
  if (!isOfDesk(items[one]!) || !isOfDesk(items[other]!)) return false;
  const people = approversOf(facts[one]);
  const others = approversOf(facts[other]);
  if (people.length === 0 || others.length === 0) return true;
  return people.some((person) => others.includes(person));
}

function isOfDesk({ source }: EvidenceItem): boolean {
  return source === REVIEW_DESK;
}

function approversOf(facts: AttestationChecks | undefined): readonly string[] {
  return facts?.kind === 'verified' ? (facts.approval?.by ?? []) : [];
}
