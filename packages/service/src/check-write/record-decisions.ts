/** Decides one check or the checks of a batch, makes all of it durable in one request, and only then has answers. */
import type { AttestationFacts, PolicySnapshot } from '@writecheck/engine';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { wholeApprovals } from '../reviews/whole-approvals.ts';
import type { CheckingKeyKind, CommitEntry, IdempotencyClaim, StoredAnswer } from '../store/port.ts';
import { type DraftAnswer, problemText, type RequestIdentity } from './answer.ts';
import { type Check, type Decided, decideCheck, draftOf, entryOf } from './decide-check.ts';
import type { GroupCommit } from './group-commit.ts';
import { type IdempotencyKey, KEPT_MS } from './idempotency.ts';
import { limitOf, quotaRefusal } from './quota.ts';
import type { Receipts } from './receipts.ts';
import type { SteadyClock } from './steady-clock.ts';
import type { UsedUp } from './used-up.ts';
import { type FactsStore, markUsedUp, NO_FACTS, verifiedFacts } from './verified-facts.ts';

export interface RecordParts {
  readonly store: FactsStore;
  /** The running policy of a workspace; at once where it is in memory. */
  readonly snapshotOf: (workspace: string) => PolicySnapshot | Promise<PolicySnapshot>;
  readonly clock: SteadyClock;
  readonly commits: GroupCommit;
  readonly usedUp: UsedUp;
  /** Where the log is signed. */
  readonly receipts?: Receipts;
  /** Told of every decision that is durable and about to leave. */
  readonly decided?: (decision: string, reasonCode: string) => void;
}

export interface Caller {
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
}

export interface Asked {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
  readonly checks: readonly Check[];
  readonly idempotency: IdempotencyKey | null;
  /** What stands around the answers where they are kept: one more than there are checks. */
  readonly frame: readonly string[];
  /** Where each decision is to carry its receipt. */
  readonly wantsReceipts: boolean;
}

export type Recorded =
  /** One per check: the text of a durable decision, or the refusal of one over quota. `used` counts this month's. */
  | { readonly kind: 'recorded'; readonly answers: readonly (string | Refusal)[]; readonly used: number }
  | { readonly kind: 'twin'; readonly stored: StoredAnswer; readonly snapshot: PolicySnapshot }
  | Refusal;

const TRIES_MAX = 4;
/** Of all records of a request. A policy can make one as long as its profiles, or its sources, times its controls. */
const RECORD_CHARACTERS_MAX = 16 * 1024 * 1024;

export const storeUnavailable = (message: string): Refusal => ({
  ...refuse('store_unavailable', message),
  retryAfterMs: 1_000,
});
const CHANGES_TOO_FAST = storeUnavailable(
  'the evidence of this check changes faster than it can be recorded; try again',
);

/** Without waiting for what is there already: on the way of every check each wait would show. */
export const recordDecisions = (
  parts: RecordParts,
  asked: Asked,
  triesLeft = TRIES_MAX,
): Promise<Recorded> => {
  const refused = refusedUndecided(parts, asked);
  if (refused !== null) return Promise.resolve(refused);
  const known = parts.snapshotOf(asked.caller.workspace);
  return known instanceof Promise
    ? known.then((snapshot) => decideAndCommit(parts, asked, snapshot, triesLeft))
    : decideAndCommit(parts, asked, known, triesLeft);
};

/** The answer of the commit, where it is known before anything is verified, decided or queued. */
const refusedUndecided = (
  { usedUp }: RecordParts,
  { caller: { workspace, keyKind }, checks, identity: { nowMs } }: Asked,
): Recorded | null => {
  const limit = limitOf(keyKind);
  if (limit === null || !usedUp.has(workspace, keyKind, nowMs, performance.now())) return null;
  const refusal = quotaRefusal(keyKind, limit, nowMs);
  return { kind: 'recorded', answers: checks.map(() => refusal), used: limit };
};

const decideAndCommit = (
  parts: RecordParts,
  asked: Asked,
  snapshot: PolicySnapshot,
  triesLeft: number,
): Promise<Recorded> => {
  const again = () => (triesLeft > 1 ? recordDecisions(parts, asked, triesLeft - 1) : CHANGES_TOO_FAST);
  const record = (ready: readonly Ready[] | Refusal): Promise<Recorded> =>
    isRefusal(ready)
      ? Promise.resolve(ready)
      : commit(parts, asked, snapshot, ready).then((recorded) => recorded ?? again());
  const deciding = decideAll(parts, asked, snapshot);
  return deciding instanceof Promise ? deciding.then(record) : record(deciding);
};

interface Ready {
  readonly decided: Decided;
  readonly entry: CommitEntry;
}

/** At once where no attestation has to be verified. */
const decideAll = (
  { store }: RecordParts,
  asked: Asked,
  snapshot: PolicySnapshot,
): readonly Ready[] | Refusal | Promise<readonly Ready[] | Refusal> => {
  const { nowMs } = asked.identity;
  const facts = asked.checks.map((check) => verifiedFacts(store, check, asked.caller, snapshot, nowMs));
  if (facts.every((of) => of === null)) {
    return decideEach(asked, snapshot, (check) => decideCheck(check, NO_FACTS, snapshot, nowMs));
  }
  return Promise.all(facts).then((verified) => {
    // Of two checks in one batch that would use up the same attestation, the first one has it.
    const usedUp = new Set<string>();
    return decideEach(asked, snapshot, (check, i) => {
      const own: readonly AttestationFacts[] = verified[i] ?? NO_FACTS;
      const decided = decideCheck(check, markUsedUp(check.intent, own, usedUp), snapshot, nowMs);
      if (decided.decision.decision === 'allow') {
        for (const { source, jti } of wholeApprovals(decided.decision.consumes))
          usedUp.add(JSON.stringify([source, jti]));
      }
      return decided;
    });
  });
};

/** Ends at the first one that is too much: what nobody can keep must not fill the memory either. */
const decideEach = (
  { caller, identity, checks }: Asked,
  snapshot: PolicySnapshot,
  decideOne: (check: Check, index: number) => Decided,
): readonly Ready[] | Refusal => {
  const all: Ready[] = [];
  let characters = 0;
  for (const [i, check] of checks.entries()) {
    const decided = decideOne(check, i);
    const entry = entryOf(decided, caller, identity, snapshot.digest);
    characters += entry.record.before.length + entry.record.intent.length;
    if (characters > RECORD_CHARACTERS_MAX) return TOO_LARGE;
    all.push({ decided, entry });
  }
  return all;
};

const TOO_LARGE: Refusal = refuse(
  'body_too_large',
  'the records of these decisions are too long to be kept; send fewer checks at once, or let fewer profiles and sources stand for the same controls',
);

/** Null where an attestation was used up or revoked meanwhile, so that it must be decided again. */
const commit = async (
  { commits, clock, usedUp, receipts, decided: tell }: RecordParts,
  { caller, identity, idempotency, frame, wantsReceipts }: Asked,
  snapshot: PolicySnapshot,
  ready: readonly Ready[],
): Promise<Recorded | null> => {
  const decided = ready.map((one) => one.decided);
  const { workspace, keyKind } = caller;
  const limit = limitOf(keyKind);
  const overQuota = (): Refusal => quotaRefusal(keyKind, limit, identity.nowMs);
  // A kept answer must be there before the commit; any other is built while the disk is busy.
  let drafts: readonly DraftAnswer[] | null = null;
  const draft = (): void => {
    drafts ??= decided.map((one) => draftOf(one, identity));
  };
  let entries = ready.map(({ entry }) => entry);
  if (idempotency !== null) {
    draft();
    const refusedText = problemText(identity, overQuota());
    entries = entries.map((entry, i) => ({
      ...entry,
      answers: { committed: drafts![i]!.toKeep(), overQuota: refusedText },
    }));
  }
  const claim = idempotency === null ? null : claimOf(idempotency, frame, decided, snapshot, identity.nowMs);
  const proven = wantsReceipts && receipts !== undefined;
  const request = { workspace, keyKind, limit, entries, idempotency: claim };
  const submitted = await commits.submit(proven ? { ...request, proven } : request, draft);
  switch (submitted.kind) {
    case 'attestation_conflict':
      return null;
    case 'twin':
      return { kind: 'twin', stored: submitted.stored, snapshot };
    case 'unavailable':
      return storeUnavailable(submitted.failure.message);
    case 'done': {
      clock.saw(identity.nowMs);
      draft();
      let used = 0;
      const answers: (string | Refusal)[] = [];
      for (const [i, outcome] of submitted.entries.entries()) {
        used = outcome.used;
        if (outcome.kind === 'quota_exceeded') {
          answers.push(overQuota());
          continue;
        }
        const { decision, reasonCode } = decided[i]!.decision;
        tell?.(decision, reasonCode);
        const receipt = proven ? receipts.textOf(outcome) : null;
        answers.push(drafts![i]!.release(outcome, receipt instanceof Promise ? await receipt : receipt));
      }
      if (limit !== null) usedUp.learn(workspace, keyKind, used >= limit, identity.nowMs, performance.now());
      return { kind: 'recorded', answers, used };
    }
  }
};

const claimOf = (
  { key, requestDigest }: IdempotencyKey,
  frame: readonly string[],
  decided: readonly Decided[],
  snapshot: PolicySnapshot,
  nowMs: number,
): IdempotencyClaim => {
  const allows = decided.map(({ decision }) => decision).filter(({ decision }) => decision === 'allow');
  return {
    key,
    requestDigest,
    expiresAtMs: nowMs + KEPT_MS,
    frame,
    replayableWhile:
      allows.length === 0
        ? null
        : {
            // An allow without an end would be one that nobody can judge: it is not given again at all.
            validUntilMs: Math.min(...allows.map(({ validUntil }) => validUntil ?? 0)),
            policyRef: snapshot.digest,
            restsOn: wholeApprovals(allows.flatMap(({ restsOn }) => restsOn)),
          },
  };
};
