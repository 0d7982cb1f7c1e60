/** Takes a check from its bytes to its response, step by step and independent of the transport. */
import type { PolicySnapshot } from '@writecheck/engine';
import type { Decisions, Limits, Store } from '@writecheck/store/port';
import { type Answer, jsonText } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { isRefusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { FreezeBook } from '../features/freezes/freeze-book.ts';
import { keysBehind } from '../features/freezes/keys-behind.ts';
import type { PolicyBook } from '../features/policies/policy-book.ts';
import { findApprovals } from '../features/reviews/look-up-facts.ts';
import { type CommitParts, commitDecisions, monthUsedUp, type Recorded } from './commit-decisions.ts';
import { readCounters } from './counters.ts';
import { decideChecks } from './decide-checks.ts';
import type { RunningKeys } from './idempotency.ts';
import type { KnownDraws } from './known-draws.ts';
import { type Asked, type CheckCall, parseRequest } from './parse-request.ts';
import { type RespondParts, respond } from './respond.ts';
import { inTurn, type TurnParts } from './turns.ts';
import { type FactsStore, verifiedFactsOfAll } from './verified-facts.ts';

export interface CheckParts extends TurnParts, CommitParts, RespondParts {
  readonly store: RespondParts['store'] &
    FactsStore &
    Pick<Decisions, 'findAnswer' | 'commitFindsTwins'> &
    Pick<Limits, 'drawsAt'> &
    Pick<Store, 'listKeys'>;
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
 * One check or a batch, from a key that the gates have authenticated. It waits only for what is not in memory, so a
 * check without attestations goes straight to its commit.
 */
export function checkWrite(parts: CheckParts, call: CheckCall): Promise<Answer> {
  return inTurn(parts, call, async (context, turn) => {
    const asked = parseRequest(call, context, turn);
    if (isRefusal(asked)) return problemAnswer(context, asked);
    if (asked.checks.length === 0) return jsonText(200, asked.frame.join(''));

    const { key, idempotency } = asked;
    const hasEvidence = asked.checks.some(({ intent }) => intent.controlEvidence !== undefined);
    const beginning = idempotency === null ? null : parts.runningKeys.begin(key.workspace, idempotency.key);
    const running = beginning instanceof Promise ? await beginning : beginning;
    if (running?.kind === 'refused') return problemAnswer(context, running);
    try {
      let recorded = monthUsedUp(parts, asked);
      // A commit finds the key too, where that does not hold up the others in it.
      if (running !== null && (recorded !== null || !parts.store.commitFindsTwins))
        recorded = (await recordedBefore(parts, asked)) ?? recorded;
      let runs: string | null | undefined;
      for (let tries = 1; recorded === null; tries += 1) {
        const ended = parts.trace?.begin('decide');
        const reading =
          tries === 1 ? parts.freezes.known(key.workspace) : parts.freezes.readAgain(key.workspace);
        const freezes = reading instanceof Promise ? await reading : reading;
        const keyIds = freezes.namesKeys ? await keysBehind(parts.store, key) : [key.id];
        const finding = hasEvidence ? findApprovals(parts.store, key.workspace, key, asked.checks) : null;
        const approvals = finding === null ? null : await finding;
        const policy = policyFor(
          parts,
          key.workspace,
          approvals?.runningDigest === undefined ? runs : approvals.runningDigest,
        );
        const snapshot = policy instanceof Promise ? await policy : policy;
        if (call.form?.mapsAs(snapshot) === false) {
          ended?.({});
          return problemAnswer(context, MAPPED_OTHERWISE);
        }
        const verifying = hasEvidence ? verifiedFactsOfAll(parts.store, asked, snapshot, approvals) : null;
        const facts = verifying === null ? null : await verifying;
        const hasLimits = snapshot.limits.length > 0;
        const counting = hasLimits
          ? readCounters(
              parts.draws,
              { checks: asked.checks, facts, key, snapshot, nowMs: context.nowMs },
              tries > 1,
            )
          : null;
        const counters = counting instanceof Promise ? await counting : counting;
        const decided = decideChecks(asked, facts, snapshot, approvals, { freezes, keyIds }, counters);
        ended?.({ 'writecheck.checks': asked.checks.length });
        const isLimited = !isRefusal(decided) && decided.some(({ entry }) => entry.limits !== undefined);
        const basis = { freezeNumber: freezes.number, bundle: { digest: snapshot.digest, hasLimits } };
        if (isRefusal(decided)) counters?.settle(null);
        const outcome = isRefusal(decided)
          ? decided
          : await commitDecisions(parts, asked, decided, basis, counters);
        if (outcome.kind !== 'again') recorded = outcome;
        else if (tries < (isLimited ? LIMITED_TRIES_MAX : TRIES_MAX)) runs = outcome.running;
        else recorded = isLimited ? DRAWN_TOO_FAST : CHANGES_TOO_FAST;
      }
      return await respond(parts, asked, recorded);
    } finally {
      running?.end();
    }
  });
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

async function recordedBefore(
  { store }: CheckParts,
  { key, idempotency, context }: Asked,
): Promise<Recorded | null> {
  const stored = await store.findAnswer(key.workspace, idempotency!.key, context.nowMs);
  return stored === null ? null : { kind: 'twin', stored };
}
