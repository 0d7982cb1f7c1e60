/** The properties the engine promises, each with variants of a case and what must hold between the two decisions. */
import {
  DECISIONS,
  type EngineDecision,
  type EvidenceItem,
  NO_ATTESTATION,
  REVIEW_DESK,
} from '@writecheck/contract';
import {
  cachedSnapshot,
  decideCase,
  editItems,
  fewerObservers,
  hasEnforcingRules,
  hasObservers,
  hasRules,
  isEnforced,
  isNamedByAuthority,
  isPermitted,
  isRequiredByCover,
  isValidAttestation,
  itemsOf,
  leavingOut,
  moreObservers,
  moreProfiles,
  observing,
  recompiled,
  reordered,
  unskipped,
  withEvidence,
} from './case-variants.ts';
import { compareDecisions } from './compare-decisions.ts';
import { CONTROL_IDS } from './generate-bundle.ts';
import type { Case } from './generate-intent.ts';
import { FIRST_DEFINITION, fault, negative } from './naive-evidence.ts';
import { approveReview, supplyRemedies } from './supply-remedies.ts';

export interface Property {
  readonly name: string;
  readonly variants: (one: Case, before: EngineDecision) => Iterable<Case>;
  readonly holds: (before: EngineDecision, after: EngineDecision, one: Case, variant: Case) => boolean;
  /** How many variants the test must see; 400 unless they are rare. */
  readonly fewest?: number;
}

export interface Violation {
  readonly property: string;
  readonly one: Case;
  readonly variant: Case;
  readonly before: EngineDecision;
  readonly after: EngineDecision;
}

/** The first variant for which the property does not hold. `onVariant` counts, so that a test can show it was not idle. */
export function violationOf(
  property: Property,
  one: Case,
  before: EngineDecision = decideCase(one),
  onVariant?: () => void,
): Violation | null {
  for (const variant of property.variants(one, before)) {
    const after = decideCase(variant);
    onVariant?.();
    if (!property.holds(before, after, one, variant)) {
      return { property: property.name, one, variant, before, after };
    }
  }
  return null;
}

const rank = (decision: string): number => (DECISIONS as readonly string[]).indexOf(decision);
const neverLooser: Property['holds'] = (before, after) =>
  rank(after.decision) >= rank(before.decision) &&
  rank(after.evaluatedDecision) >= rank(before.evaluatedDecision);
const allowsBoth = ({ decision, evaluatedDecision }: EngineDecision): boolean =>
  decision === 'allow' && evaluatedDecision === 'allow';
const sameBytes: Property['holds'] = (before, after) => JSON.stringify(before) === JSON.stringify(after);

/** The part that an observing policy must not change. The end of an announced observation is the one exception. */
const decidingPart = ({
  decision,
  writePolicy,
  enforced,
  failClosed,
  validUntil,
  review,
  consumes,
  restsOn,
}: EngineDecision) =>
  JSON.stringify({ decision, writePolicy, enforced, failClosed, validUntil, review, consumes, restsOn });

/** A person's approval replaces the authority's value, and is used up by that. */
const isConfirmedByPerson = ({ consumes }: EngineDecision): boolean =>
  consumes.some(({ source }) => source === REVIEW_DESK);

/** Only the newest of several signed reads counts; an older one that is still fresh may say something else. */
const isOneOfSeveralReads = (one: Case, { controlId }: EvidenceItem): boolean =>
  controlId === 'record' && itemsOf(one).filter((other) => other.controlId === controlId).length > 1;

export const PROPERTIES: readonly Property[] = [
  {
    name: 'every intent gets a whole decision, whatever facts come with it',
    variants: (one) => [one, { ...one, facts: [] }, { ...one, facts: [...one.facts, NO_ATTESTATION] }],
    holds: (_before, after) =>
      rank(after.decision) >= 0 &&
      rank(after.evaluatedDecision) >= 0 &&
      after.reason.length > 0 &&
      (after.validUntil !== undefined) === (after.decision === 'allow') &&
      (after.remediation !== undefined) === !allowsBoth(after) &&
      (after.remediation === undefined || after.remediation.length > 0) &&
      after.controlEvaluations.length === after.requiredControls.length &&
      after.failClosed === after.enforced &&
      (after.reasonCode === 'requirements_met') === allowsBoth(after),
  },
  {
    name: 'the same intent, facts, policies and time give the same bytes',
    variants: (one) => [{ ...structuredClone(one), documents: recompiled(one.documents)[0]! }],
    holds: sameBytes,
  },
  {
    name: 'the engine equals the naive model',
    variants: (one) => [one],
    holds: (_before, _after, one) => compareDecisions(one, cachedSnapshot(one.documents)).difference === null,
  },
  {
    name: 'adding a requirement to an intent never loosens, where rules are registered or it has one',
    variants: function* (one) {
      const asked = one.intent.requiredControls ?? [];
      if (asked.length === 0 && !hasRules(one)) return;
      for (const id of [...CONTROL_IDS, 'another']) {
        yield { ...one, intent: { ...one.intent, requiredControls: [id, ...asked] } };
      }
    },
    // The decision does not depend on observing rules.
    holds: (before, after, one) =>
      rank(after.evaluatedDecision) >= rank(before.evaluatedDecision) &&
      (rank(after.decision) >= rank(before.decision) ||
        (!hasEnforcingRules(one) && (one.intent.requiredControls ?? []).length === 0)),
  },
  {
    name: 'adding an enforcing profile without a comparator never loosens where a covering profile requires a control',
    variants: function* (one) {
      if (!isRequiredByCover(one, 'evaluated')) return;
      for (const documents of moreProfiles(one.documents)) yield { ...one, documents };
    },
    // The decision does not depend on observing rules, so only enforcing ones count for it.
    holds: (before, after, one) =>
      rank(after.evaluatedDecision) >= rank(before.evaluatedDecision) &&
      (rank(after.decision) >= rank(before.decision) || !isRequiredByCover(one, 'enforced')),
  },
  {
    name: 'adding a FAIL never loosens',
    variants: function* (one) {
      for (const controlId of CONTROL_IDS) {
        const item = { controlId, source: 'anyone', result: 'FAIL' };
        yield withEvidence(one, [...itemsOf(one), item], [...one.facts, NO_ATTESTATION]);
      }
    },
    holds: neverLooser,
  },
  {
    name: 'removing a PASS never loosens',
    variants: (one) =>
      editItems(one, (item, facts) =>
        negative({ item, facts }) !== null || isOneOfSeveralReads(one, item) ? 'no' : null,
      ),
    holds: neverLooser,
  },
  {
    name: 'taking away facts never turns a pause or block into an allow',
    variants: function* (one) {
      const isRecord = (at: number) => itemsOf(one)[at]?.controlId === 'record';
      const items = itemsOf(one).filter((_, at) => !isRecord(at));
      if (items.length === itemsOf(one).length) return;
      yield withEvidence(
        one,
        items,
        one.facts.filter((_, at) => !isRecord(at)),
      );
      yield* editItems(one, (item, facts) => {
        if (item.controlId !== 'record' || facts.kind !== 'verified') return 'no';
        const { facts: _claim, ...without } = facts;
        return { item, facts: without };
      });
    },
    holds: (before, after, one) =>
      // The caller may omit a negative item itself.
      itemsOf(one).some(
        (item, at) => item.controlId === 'record' && negative({ item, facts: one.facts[at]! }),
      ) ||
      ((before.decision === 'allow' || after.decision !== 'allow') &&
        (before.evaluatedDecision === 'allow' || after.evaluatedDecision !== 'allow')),
  },
  {
    name: 'older evidence never loosens',
    variants: function* (one) {
      for (const byMs of [1, 60_000, 86_400_000]) {
        yield* editItems(one, (item, facts) => {
          const itemMs = item.checkedAt === undefined ? Number.NaN : Date.parse(item.checkedAt);
          const knownMs = facts.kind === 'verified' ? facts.checkedAtMs : itemMs;
          // A time without an offset has no known age, and an item from the future may become valid.
          const placed = item.checkedAt === undefined || /(Z|[+-]\d\d:\d\d)$/.test(item.checkedAt);
          if (!placed || Number.isNaN(knownMs) || knownMs > one.nowMs + 60_000) return 'no';
          if (isOneOfSeveralReads(one, item)) return 'no';
          const older = new Date(knownMs - byMs).toISOString();
          return {
            item: item.checkedAt === undefined ? item : { ...item, checkedAt: older },
            facts: facts.kind === 'verified' ? { ...facts, checkedAtMs: knownMs - byMs } : facts,
          };
        });
      }
    },
    holds: neverLooser,
  },
  {
    name: 'dropping a valid attestation never loosens',
    variants: (one) =>
      editItems(one, (item, facts) => {
        if (!isValidAttestation(item, facts, one) || isOneOfSeveralReads(one, item)) return 'no';
        const { attestation: _attestation, ...rest } = item;
        return { item: rest, facts: NO_ATTESTATION };
      }),
    holds: neverLooser,
  },
  {
    name: "leaving out an optional member never turns a profile's pause or block into an allow",
    variants: function* (one) {
      const bare = unskipped(one);
      yield* leavingOut(bare, decideCase(bare));
    },
    holds: (_before, after) => after.decision !== 'allow',
  },
  {
    name: 'order and repetition of evidence change nothing',
    variants: function* (one) {
      const items = itemsOf(one);
      const swap = (from: number) => [...items.keys()].map((at) => (at + from) % items.length);
      const orders = [swap(0).reverse(), ...[...items.keys()].slice(1).map(swap), [...swap(0), ...swap(0)]];
      for (const order of orders) {
        yield withEvidence(
          one,
          order.map((at) => items[at]!),
          order.map((at) => one.facts[at]!),
        );
      }
    },
    holds: sameBytes,
  },
  {
    name: 'order of documents and repetition of required controls change nothing',
    variants: function* (one) {
      yield { ...one, documents: reordered(one.documents)[0]! };
      const asked = one.intent.requiredControls;
      if (asked !== undefined)
        yield { ...one, intent: { ...one.intent, requiredControls: [...asked, ...asked] } };
    },
    holds: sameBytes,
  },
  {
    name: 'a negative item for a control that is not required only warns',
    variants: function* (one, before) {
      // If too many rules apply, not every required control is listed.
      if (one.documents.length > 90) return;
      for (const [at, controlId] of CONTROL_IDS.entries()) {
        if (before.requiredControls.includes(controlId) || isNamedByAuthority(one.documents, controlId))
          continue;
        const item = { controlId, source: 'anyone', result: ['FAIL', 'REVOKED', 'pass'][at % 3]! };
        yield withEvidence(one, [...itemsOf(one), item], [...one.facts, NO_ATTESTATION]);
      }
    },
    holds: (before, after, _one, variant) => {
      const { controlId, result } = itemsOf(variant).at(-1)!;
      const warned = after.warnings.some((text) => text.includes(controlId) && text.includes(result));
      return (
        warned && JSON.stringify({ ...before, warnings: [] }) === JSON.stringify({ ...after, warnings: [] })
      );
    },
  },
  {
    name: 'every allow under enforcement names a good item for each requirement, and none is vacuous',
    variants: (one, before) => (before.decision === 'allow' ? [one] : []),
    holds: (_before, after, one) => {
      const { authorityFound, agentValue, authorityValue } = one.intent;
      const verified = authorityFound === true && agentValue !== undefined && authorityValue !== undefined;
      const isVouchedFor = verified || isPermitted(one) || isConfirmedByPerson(after);
      if (after.enforced && after.requiredControls.length === 0 && !isVouchedFor) return false;
      return after.requirementProvenance.every(({ controlId, sources }, index) => {
        if (!isEnforced(one, sources)) return true;
        const { status, source, result } = after.controlEvaluations[index]!;
        const control = one.documents.flatMap((document) =>
          document.kind === 'ControlPack' ? (document.controls[controlId] ?? []) : [],
        )[0];
        const plain = one.documents.length === 0 ? FIRST_DEFINITION : {};
        const own = itemsOf(one).map((item, at) => ({ item, facts: one.facts[at]! }));
        const evidence = own.filter(({ item }) => item.controlId === controlId);
        const good = evidence.some(
          (some) =>
            some.item.source === source &&
            some.item.result === result &&
            !fault(control ?? plain, some, one.nowMs),
        );
        return (
          status === 'satisfied' &&
          result === 'PASS' &&
          good &&
          evidence.every((some) => negative(some) === null)
        );
      });
    },
  },
  {
    name: 'an allow holds up to its end, where no condition looks at the time',
    variants: function* (one, { decision, validUntil }) {
      const looks = one.documents.some(
        ({ kind, ...rest }) => kind === 'Profile' && 'when' in rest && String(rest.when).includes('now'),
      );
      if (decision === 'allow' && !looks && validUntil! > one.nowMs) yield { ...one, nowMs: validUntil! - 1 };
    },
    holds: (_before, after) => after.decision === 'allow',
  },
  {
    name: 'turning a source from enforce to observe never changes the evaluated decision',
    variants: function* (one) {
      for (const documents of observing(one.documents)) yield { ...one, documents };
    },
    holds: (before, after) => before.evaluatedDecision === after.evaluatedDecision,
  },
  {
    name: 'adding an observing profile changes neither the decision nor what it rests on',
    variants: function* (one) {
      for (const documents of moreObservers(one.documents)) yield { ...one, documents };
    },
    holds: (before, after) => decidingPart(before) === decidingPart(after),
  },
  {
    name: 'removing what observes changes neither the decision nor what it rests on',
    variants: function* (one) {
      for (const documents of fewerObservers(one.documents)) yield { ...one, documents };
    },
    holds: (before, after) => decidingPart(before) === decidingPart(after),
  },
  {
    name: 'the decision is the evaluated one of a bundle in which nothing observes',
    variants: function* (one) {
      if (!hasObservers(one)) yield one;
    },
    holds: (_before, after) =>
      after.decision === after.evaluatedDecision && !after.warn && !after.observeMode && after.enforced,
  },
  {
    name: 'approving every control that a review names, and supplying what else it needs, allows the same write',
    variants: function* (one, before) {
      if (before.review !== undefined) yield approveReview(one, before);
      // Most cases have an approval.
      const kept = itemsOf(one).map(({ source }) => source !== REVIEW_DESK);
      const bare = withEvidence(
        one,
        itemsOf(one).filter((_, at) => kept[at]),
        one.facts.filter((_, at) => kept[at]),
      );
      const decided = decideCase(bare);
      if (decided.review !== undefined) yield approveReview(bare, decided);
    },
    fewest: 100,
    holds: (_before, after) => after.decision === 'allow',
  },
  {
    name: 'where every action is supply, supplying exactly that turns both decisions into allow',
    variants: (one, before) =>
      [true, false]
        .map((byPerson) => supplyRemedies(one, before, byPerson))
        .filter((supplied) => supplied !== null),
    holds: (_before, after) => allowsBoth(after),
  },
];
