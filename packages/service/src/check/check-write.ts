/** Takes a check from its bytes to its response, step by step and independent of the transport. */
import type { PolicySnapshot } from '@writecheck/engine';
import type { Store } from '@writecheck/store/port';
import { type Answer, jsonText } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { isRefusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { FreezeBook } from '../features/freezes/freeze-book.ts';
import { keysBehind } from '../features/keys/key-lineage.ts';
import type { PolicyBook } from '../features/policies/policy-book.ts';
import { findApprovals } from '../features/reviews/look-up-facts.ts';
import { type CommitParts, commitDecisions, monthUsedUp } from './commit-decisions.ts';
import { readCounters } from './counters.ts';
import { decideChecks } from './decide-checks.ts';
import type { RunningKeys } from './idempotency.ts';
import type { KnownDraws } from './known-draws.ts';
import { type Asked, type CheckCall, type CheckRules, parseRequest } from './parse-request.ts';
import { type ReplayParts, respondAgain } from './replay.ts';
import { inTurn, type TurnParts } from './turns.ts';
import { verifiedFactsOfAll } from './verified-facts.ts';

export interface CheckParts extends TurnParts, CommitParts, ReplayParts {
  readonly store: Store;
  readonly freezes: Pick<FreezeBook, 'known' | 'readAgain'>;
  readonly policies: Pick<PolicyBook, 'snapshotOf' | 'snapshotOfRunning'>;
  readonly runningKeys: RunningKeys;
  readonly draws: KnownDraws;
}

const TRIES_MAX = 4;
/** Each limit can begin to object while a check is decided, and each begins once; 8 of them may apply. */
const LIMITED_TRIES_MAX = 16;
const CHANGES_TOO_FAST = storeUnavailable(
  'what this check rests on changes faster than it can be recorded; try again',
);
const DRAWN_TOO_FAST = {
  ...refuse('overloaded', 'the limits of this check are drawn on faster than it can be recorded; try again'),
  retryAfterMs: 1_000,
};
const MAPPED_OTHERWISE = storeUnavailable('the policy changed while this request was read; try again');

/**
 * Handles a request for one check or a batch, from a key that the gates have authenticated. It waits only for what is
 * not in memory, so a check without attestations goes straight to its commit.
 */
export function checkWrite(parts: CheckParts, rules: CheckRules): (call: CheckCall) => Promise<Answer> {
  return (call) =>
    inTurn(parts, call, async (context, turn) => {
      const asked = parseRequest(rules, call, context, turn);
      if (isRefusal(asked)) return problemAnswer(context, asked);
      if (asked.checks.length === 0) return jsonText(200, asked.frame.join(''));

      const { key, idempotency } = asked;
      if (idempotency === null) return decideAndRecord(parts, asked);
      const beginning = parts.runningKeys.begin(key.workspace, idempotency.key);
      const running = beginning instanceof Promise ? await beginning : beginning;
      if (running.kind === 'refused') return problemAnswer(context, running);
      try {
        return await decideAndRecord(parts, asked);
      } finally {
        running.end();
      }
    });
}

async function decideAndRecord(parts: CheckParts, asked: Asked): Promise<Answer> {
  const { store, freezes: freezeBook, draws, trace } = parts;
  const { key, idempotency, checks, context, form } = asked;
  const usedUp = monthUsedUp(parts, asked);
  // A commit finds the key too, where that does not hold up the others in it. If that commit fails, so does a replay:
  // only a commit sees that the files of a store were replaced, and a read would give an allow of those that are gone.
  if (idempotency !== null && (usedUp !== null || !store.commitFindsTwins)) {
    const stored = await store.findAnswer(key.workspace, idempotency.key, context.nowMs);
    if (stored !== null) return respondAgain(parts, asked, stored);
  }
  if (usedUp !== null) return usedUp;

  const hasEvidence = checks.some(({ intent }) => intent.controlEvidence !== undefined);
  let runs: string | null | undefined;
  for (let tries = 1; ; tries += 1) {
    const ended = trace?.begin('decide');
    const reading = tries === 1 ? freezeBook.known(key.workspace) : freezeBook.readAgain(key.workspace);
    const freezes = reading instanceof Promise ? await reading : reading;
    const keyIds = freezes.namesKeys ? await keysBehind(store, key) : [key.id];
    const finding = hasEvidence ? findApprovals(store, key.workspace, key, checks) : null;
    const approvals = finding === null ? null : await finding;
    const policy = policyFor(
      parts,
      key.workspace,
      approvals?.runningDigest === undefined ? runs : approvals.runningDigest,
    );
    const snapshot = policy instanceof Promise ? await policy : policy;
    if (form?.mapsAs(snapshot) === false) {
      ended?.({});
      return problemAnswer(context, MAPPED_OTHERWISE);
    }
    const verifying = hasEvidence ? verifiedFactsOfAll(store, asked, snapshot, approvals) : null;
    const facts = verifying === null ? null : await verifying;
    const hasLimits = snapshot.limits.length > 0;
    const counting = hasLimits
      ? readCounters(draws, { checks, facts, key, snapshot, nowMs: context.nowMs }, tries > 1)
      : null;
    const counters = counting instanceof Promise ? await counting : counting;
    const decided = decideChecks(asked, facts, snapshot, approvals, { freezes, keyIds }, counters);
    ended?.({ 'writecheck.checks': checks.length });
    if (isRefusal(decided)) {
      counters?.settle(null);
      return problemAnswer(context, decided);
    }
    const basis = { freezeNumber: freezes.number, bundle: { digest: snapshot.digest, hasLimits } };
    const outcome = await commitDecisions(parts, asked, decided, basis, counters);
    if ('status' in outcome) return outcome;
    if (outcome.kind === 'twin') return respondAgain(parts, asked, outcome.stored);
    const isLimited = decided.some(({ entry }) => entry.limits !== undefined);
    if (tries >= (isLimited ? LIMITED_TRIES_MAX : TRIES_MAX))
      return problemAnswer(context, isLimited ? DRAWN_TOO_FAST : CHANGES_TOO_FAST);
    runs = outcome.running;
  }
}

/**
 * INVARIANT: an approval counts only under the running review rule, so a cached policy is not enough for it. Neither is
 * it once a commit has said that another bundle runs.
 */
function policyFor(
  { policies }: CheckParts,
  workspace: string,
  running: string | null | undefined,
): PolicySnapshot | Promise<PolicySnapshot> {
  return running === undefined
    ? policies.snapshotOf(workspace)
    : policies.snapshotOfRunning(workspace, running);
}
