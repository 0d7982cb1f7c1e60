/** Takes a check from its bytes to its response, step by step and independent of the transport. */
import { holdsKey } from '@writecheck/store/port';
import type { Answer } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { isRefusal, refuseFor, storeUnavailable } from '../exchange/refusal.ts';
import { type CommitParts, commitDecision, monthUsedUp } from './commit-decision.ts';
import { readCounters } from './counters.ts';
import { decideCheck } from './decide-check.ts';
import type { RunningKeys } from './idempotency.ts';
import type { KnownDraws } from './known-draws.ts';
import { type CheckCall, type CheckRules, type ParsedRequest, parseRequest } from './parse-request.ts';
import { type Basis, type BasisParts, readBasis } from './read-basis.ts';
import { respondAgain } from './replay.ts';
import { type Decide, inTurn, type TurnParts } from './turns.ts';
import { NO_FACTS, needsFacts } from './verified-facts.ts';

export interface CheckParts extends TurnParts, BasisParts, CommitParts {
  readonly runningKeys: RunningKeys;
  readonly draws: KnownDraws;
}

const TRIES_MAX = 4;
/** Other checks can use up each limit once while a check is decided, and up to 8 limits apply. */
const LIMITED_TRIES_MAX = 16;
const CHANGES_TOO_FAST = storeUnavailable(
  'the policy, a freeze or evidence for this check keeps changing; try again',
);
const DRAWN_TOO_FAST = refuseFor(1_000, 'overloaded', 'these limits are in heavy use; try again');
const READ_OTHERWISE = storeUnavailable('the policy changed while this request was read; try again');

/** Handles a request from a key that the gates have authenticated. */
export function checkWrite(parts: CheckParts, rules: CheckRules): (call: CheckCall) => Promise<Answer> {
  return (call) =>
    inTurn(parts, call, async (context, decide) => {
      const parsed = parseRequest(rules, call, context);
      if (isRefusal(parsed)) return problemAnswer(context, parsed);
      const { key, idempotency } = parsed;
      if (idempotency === null) return decideAndRecord(parts, parsed, decide);
      const beginning = parts.runningKeys.begin(key.workspace, idempotency.key);
      const running = beginning instanceof Promise ? await beginning : beginning;
      if (running.kind === 'refused') return problemAnswer(context, running);
      try {
        return await decideAndRecord(parts, parsed, decide);
      } finally {
        running.end();
      }
    });
}

async function decideAndRecord(parts: CheckParts, parsed: ParsedRequest, decide: Decide): Promise<Answer> {
  const { store, draws, trace } = parts;
  const { key, idempotency, claim, context, readsAlikeUnder } = parsed;
  const usedUp = monthUsedUp(parts, parsed);
  // On SQLite the commit looks the key up. A read before it could return an allow from a store whose files were
  // replaced.
  if (idempotency !== null && (usedUp !== null || !store.commitFindsTwins)) {
    const stored = await store.findAnswer(key.workspace, idempotency.key, context.nowMs);
    if (stored !== null && holdsKey(stored, { ...idempotency, claim }))
      return respondAgain(store, parsed, stored);
  }
  if (usedUp !== null) return usedUp;

  let running: string | null | undefined;
  for (let tries = 1; ; tries += 1) {
    const ended = trace?.begin('decide');
    const basis =
      (tries === 1 ? basisInMemory(parts, parsed) : null) ??
      (await readBasis(parts, parsed, tries === 1, running));
    if (readsAlikeUnder?.(basis.snapshot) === false) return problemAnswer(context, READ_OTHERWISE);
    const counting =
      basis.snapshot.limits.length === 0 ? null : readCounters(draws, parsed, basis, tries > 1);
    const counters = counting instanceof Promise ? await counting : counting;
    const deciding = decide(() =>
      readsAlikeUnder?.(basis.snapshot) === false ? READ_OTHERWISE : decideCheck(parsed, basis, counters),
    );
    const decided = deciding instanceof Promise ? await deciding : deciding;
    ended?.();
    if (isRefusal(decided)) {
      counters?.settle(null);
      return problemAnswer(context, decided);
    }
    const outcome = await commitDecision(parts, parsed, decided, counters);
    if ('status' in outcome) return outcome;
    if (outcome.kind === 'twin') return respondAgain(store, parsed, outcome.stored);
    const isLimited = decided.request.limits !== undefined;
    if (tries >= (isLimited ? LIMITED_TRIES_MAX : TRIES_MAX))
      return problemAnswer(context, isLimited ? DRAWN_TOO_FAST : CHANGES_TOO_FAST);
    running = outcome.running;
  }
}

/** Nearly every check finds its basis in memory, and then it is decided in one run. */
function basisInMemory(parts: CheckParts, { key, intent }: ParsedRequest): Basis | null {
  const freezes = parts.freezes.inMemory(key.workspace);
  const snapshot = parts.policies.inMemory(key.workspace);
  if (freezes === undefined || freezes.namesKeys || snapshot === undefined) return null;
  if (intent.controlEvidence !== undefined && needsFacts(intent, snapshot)) return null;
  return { freezes, keyIds: [key.id], approvals: null, snapshot, facts: NO_FACTS };
}
