/** Decides the checks of one request under one policy, with facts verified beforehand. */
import type { AttestationFacts, PolicySnapshot } from '@writecheck/engine';
import { type Refusal, refuse } from '../refusal.ts';
import type { FoundApprovals } from '../reviews/look-up-facts.ts';
import { markUsedUp, usedName } from '../used-evidence.ts';
import { type Decided, decideCheck } from './decide-check.ts';
import type { Asked } from './parse-request.ts';
import { type FactsStore, NO_FACTS, verifiedFacts } from './verified-facts.ts';

/** For each check; null if none of them has an attestation to verify. */
export type FactsOfChecks = readonly (readonly AttestationFacts[] | null)[] | null;

export function factsOf(
  store: FactsStore,
  { checks, key, identity }: Asked,
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
): null | Promise<FactsOfChecks> {
  const facts = checks.map((check) => verifiedFacts(store, check, key, snapshot, approvals, identity.nowMs));
  return facts.every((own) => own === null) ? null : Promise.all(facts);
}

/**
 * For all records of a request. A policy can make one as long as its profiles, or its sources, times its controls.
 */
const RECORD_CHARACTERS_MAX = 16 * 1024 * 1024;

const TOO_LARGE: Refusal = refuse(
  'body_too_large',
  'the records of these decisions are too large; send fewer checks at once, or define the same controls in fewer profiles and sources',
);

/**
 * Stops at the first record that exceeds the limit: records that cannot be stored must not fill the memory either.
 */
export function decideChecks(
  { checks, key, identity }: Asked,
  facts: FactsOfChecks,
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
): readonly Decided[] | Refusal {
  const all: Decided[] = [];
  // If two checks in one batch would use up the same attestation, the first one gets it.
  const usedUp = new Set<string>();
  let characters = 0;
  for (const [i, check] of checks.entries()) {
    const own = markUsedUp(check.intent, facts?.[i] ?? NO_FACTS, usedUp);
    const decided = decideCheck(check, own, snapshot, approvals, key, identity);
    for (const item of decided.entry.consumes) usedUp.add(usedName(item));
    const { before, intent } = decided.entry.record;
    characters += before.length + intent.length;
    if (characters > RECORD_CHARACTERS_MAX) return TOO_LARGE;
    all.push(decided);
  }
  return all;
}
