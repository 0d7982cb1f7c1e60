/** The store as everything above sees it: narrow, asynchronous, the same for SQLite and PostgreSQL. */
import type { ConsumedAttestation, Decision } from '@writecheck/contract';
import type { Subtree } from '@writecheck/ledger';
import type { Reviews } from './port/reviews.ts';

/**
 * Why the store could not do what it was asked. Every method may reject with this and with nothing else;
 * the edge turns it into 503 `store_unavailable`. The outcome of a rejected write is unknown: it may have
 * become durable, so nothing may be concluded from a rejection but that no answer can be given.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly why:
    | 'busy'
    | 'full'
    | 'io'
    | 'corrupt'
    | 'read_only'
    | 'replaced'
    | 'moved'
    | 'timeout'
    | 'closed'
    | 'unknown';

  constructor(why: StoreUnavailable['why'], message: string) {
    super(message);
    this.why = why;
  }
}

// ---------------------------------------------------------------- workspaces and keys

export type KeyKind = 'development' | 'live' | 'owner';
export type CheckingKeyKind = Exclude<KeyKind, 'owner'>;

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** An operator's grant of live keys, which the hosted plan asks for. */
  readonly liveGranted: boolean;
}

export interface NewKey {
  /** `key_...`; ids, secrets and times are made by the caller. */
  readonly id: string;
  readonly kind: KeyKind;
  readonly name: string;
  /** SHA-256 of the whole secret, 64 lower-case hex digits. The secret itself never reaches the store. */
  readonly hash: string;
  /** The prefix and the last 4 characters. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** Null where every system (or workflow) is allowed. */
  readonly allowedSystems: readonly string[] | null;
  readonly allowedWorkflows: readonly string[] | null;
}

export interface StoredKey extends NewKey {
  readonly workspace: string;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Once a rotation has replaced it; until `expiresAtMs` it is then in its grace time. */
  readonly rotatedAtMs: number | null;
  /** The id of the key that this one replaced. */
  readonly rotatedFrom: string | null;
}

/** The most unrevoked keys a workspace may hold (expired ones count until they are revoked). */
export const UNREVOKED_KEYS_MAX = 100;

export type CreateKeyOutcome =
  | { readonly kind: 'created'; readonly key: StoredKey }
  | { readonly kind: 'too_many_keys' }
  | { readonly kind: 'no_such_workspace' };

export type RevokeKeyOutcome =
  /** `revokedAtMs` is that of the first revocation: revoking twice changes nothing. */
  | { readonly kind: 'revoked'; readonly revokedAtMs: number }
  | { readonly kind: 'not_found' }
  /** It is the last owner key that is neither revoked nor ever expires. */
  | { readonly kind: 'last_owner_key' };

export interface Rotation {
  readonly workspace: string;
  readonly keyId: string;
  readonly nowMs: number;
  /** The old key's new expiry; an earlier one it already has is kept. */
  readonly oldExpiresAtMs: number;
  /** What is new about the new key; kind, name, limits and expiry are taken from the old one. */
  readonly replacement: Pick<NewKey, 'id' | 'hash' | 'hint'>;
}

export type RotateKeyOutcome =
  | { readonly kind: 'rotated'; readonly key: StoredKey }
  /** Unknown or of another workspace. */
  | { readonly kind: 'not_found' }
  /** INVARIANT: a key is rotated at most once, so no replacement inherits an expiry that is only a grace time. */
  | { readonly kind: 'not_active'; readonly because: 'rotated' | 'expired' | 'revoked' }
  | { readonly kind: 'too_many_keys' };

export interface WorkspacesAndKeys {
  /**
   * Makes a workspace with its first keys, all or nothing. With `onlyIfNone` it is made only where the store
   * holds no workspace at all, whoever else is starting at the same moment.
   */
  createWorkspace(
    workspace: Workspace,
    keys: readonly NewKey[],
    options?: { readonly onlyIfNone?: boolean },
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }>;
  findWorkspace(id: string): Promise<Workspace | null>;
  /** Oldest first; `limit` is there so that a first-workspace look-up stays cheap. */
  listWorkspaces(limit: number): Promise<readonly Workspace[]>;
  grantLive(workspace: string, granted: boolean): Promise<boolean>;

  createKey(workspace: string, key: NewKey): Promise<CreateKeyOutcome>;
  /** Revoked and expired keys are found too: the caller says which of the 401s it is. */
  findKey(hash: string): Promise<StoredKey | null>;
  /** All keys of a workspace, oldest first, revoked ones included. */
  listKeys(workspace: string): Promise<readonly StoredKey[]>;
  revokeKey(workspace: string, keyId: string, nowMs: number): Promise<RevokeKeyOutcome>;
  rotateKey(rotation: Rotation): Promise<RotateKeyOutcome>;
  /** Notes last uses, many at a time and off the hot path; a time earlier than the stored one is ignored. */
  touchKeys(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Promise<void>;
}

// ---------------------------------------------------------------- decisions: commit

/** What the log's leaf says besides its log and its record's digest, both of which the store puts in. */
export interface LeafFields {
  readonly decision_id: string;
  readonly audit_id: string;
  readonly keyId: string;
  readonly timestamp: string;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason_code: string;
  readonly intentDigest: string;
  readonly policyRef: string | null;
  readonly validUntil: string | null;
}

/** A record's bytes: the intent's as they were received, with text in UTF-8 around them. */
export interface RecordPieces {
  readonly before: string;
  readonly intent: Uint8Array;
  readonly after: '}';
}

export interface CommitEntry {
  /** When it was decided; the month it is charged to follows from it. */
  readonly atMs: number;
  /** The audit record, which is JSON. Its bytes are what is stored and hashed. */
  readonly record: RecordPieces;
  readonly leaf: LeafFields;
  /** Attestations used up by this allow: committed only if all of them are still unused. */
  readonly consumes: readonly ConsumedAttestation[];
  /** Attestations this allow rests on: committed only if none of them is revoked. */
  readonly restsOn: readonly ConsumedAttestation[];
  /** Only where the request claims an idempotency key: what is kept for this entry, committed or over quota. */
  readonly answers?: { readonly committed: string; readonly overQuota: string };
}

/** Asks that an `Idempotency-Key` be bound to this request's answer, in the same commit. */
export interface IdempotencyClaim {
  readonly key: string;
  /** SHA-256 of the request (path family and body bytes), hex. */
  readonly requestDigest: string;
  readonly expiresAtMs: number;
  /** What the replay of an allow depends on; null where nothing in the answer allows. */
  readonly replayableWhile: {
    readonly validUntilMs: number;
    readonly policyRef: string | null;
    readonly restsOn: readonly ConsumedAttestation[];
  } | null;
  /**
   * The kept answer is frame[0] + entry 0 + frame[1] + entry 1 ... + frame[n], so it has one element more than
   * there are entries. For a single check: two empty strings.
   */
  readonly frame: readonly string[];
}

/** One request's worth of decisions: one entry for a check, several for a batch. */
export interface CommitRequest {
  readonly workspace: string;
  readonly keyKind: CheckingKeyKind;
  /** Checks a month for this kind of key in this workspace; null where unlimited. */
  readonly limit: number | null;
  readonly entries: readonly CommitEntry[];
  readonly idempotency: IdempotencyClaim | null;
  /** Whether each committed entry comes back with its proof of inclusion. */
  readonly proven?: boolean;
}

/** Where a committed leaf stands in the tree as its commit left it; in base64, since texts cross a thread fastest. */
export interface Inclusion {
  readonly leaf: string;
  /** The tree as the commit found it. */
  readonly before: { readonly size: number; readonly root: Uint8Array };
  readonly treeSize: number;
  /** Of the tree of that size. */
  readonly root: Uint8Array;
  /** Hashes from the leaf up, as the elements of a JSON array. */
  readonly proof: string;
}

declare const COMMITTED: unique symbol;
/**
 * Proof that an entry's record is durable. INVARIANT: only a store makes one, after its commit is synced; an
 * answer can be released only against it.
 */
export interface Committed {
  readonly [COMMITTED]: true;
  readonly kind: 'committed';
  readonly decisionId: string;
  readonly log: string;
  readonly leafIndex: number;
  /** Checks charged this month for this kind of key, this one included. */
  readonly used: number;
  /** Where the request asked to be proven. */
  readonly inclusion?: Inclusion;
}

export type EntryOutcome =
  | Committed
  | { readonly kind: 'quota_exceeded'; readonly used: number; readonly limit: number };

export interface StoredAnswer {
  readonly requestDigest: string;
  readonly expiresAtMs: number;
  readonly replayableWhile: IdempotencyClaim['replayableWhile'];
  /** The response body, byte for byte. */
  readonly response: Uint8Array;
}

export type RequestOutcome =
  /** In the order of the entries. Entries over quota are not recorded, the others are durable. */
  | { readonly kind: 'done'; readonly entries: readonly EntryOutcome[] }
  /** Another request got there first with this idempotency key: nothing was recorded or charged. */
  | { readonly kind: 'twin'; readonly stored: StoredAnswer }
  /** An attestation was used up or revoked since it was looked up: nothing was recorded; decide again. */
  | { readonly kind: 'attestation_conflict' };

// ---------------------------------------------------------------- decisions: reading

/** A record as it lies in the log. */
export interface LoggedRecord {
  readonly log: string;
  readonly leafIndex: number;
  /** How many leaves the log had once the commit of this one was done. */
  readonly treeSize: number;
  readonly record: Uint8Array;
  readonly leaf: Uint8Array;
}

/** What lists show of a decision, and what they filter by. */
export interface DecisionSummary {
  readonly decisionId: string;
  readonly auditId: string;
  readonly keyId: string;
  readonly atMs: number;
  readonly timestamp: string;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reasonCode: string;
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string | null;
  readonly field: string | null;
  readonly operation: string | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface DecisionQuery {
  readonly workspace: string;
  /** Only decisions made with this key: what a checking key may see. */
  readonly keyId?: string;
  readonly decision?: Decision;
  readonly reasonCode?: string;
  readonly system?: string;
  readonly objectRef?: string;
  readonly workflowId?: string;
  readonly runId?: string;
  /** Included. */
  readonly fromMs?: number;
  /** Not included. */
  readonly toMs?: number;
  /** Only those whose evaluated decision differs: what enforcing everything would change. */
  readonly isWarned?: true;
  /** Newest first where left out. */
  readonly order?: 'newest' | 'oldest';
  /** A `nextCursor` of an earlier page. */
  readonly cursor?: string;
  readonly limit: number;
}

export type DecisionPage =
  | {
      readonly kind: 'page';
      /** In the order asked for. */
      readonly decisions: readonly DecisionSummary[];
      /** Null at the end. */
      readonly nextCursor: string | null;
    }
  | { readonly kind: 'bad_cursor' };

export interface LogHead {
  readonly log: string;
  /** Number of leaves. */
  readonly size: number;
  /** Roots of the perfect subtrees of the tree, left to right, 32 bytes each. */
  readonly frontier: Uint8Array;
  readonly newestAtMs: number;
  /** Whether anything may still be appended to it; left out by a store of which only one log is ever open, `log`. */
  readonly isOpen?: boolean;
}

/** One commit's worth of a log. */
export interface Segment {
  readonly log: string;
  readonly firstIndex: number;
  /** Both are empty where an entry was pruned; its hash stays. Only decisions have a record. */
  readonly entries: readonly { readonly record: Uint8Array; readonly leaf: Uint8Array }[];
  /** RFC 6962 leaf hashes, 32 bytes each, in order. */
  readonly leafHashes: Uint8Array;
}

export interface Decisions {
  /** The log this process appends to; it may become another one. The leaf of a record names the one it is in. */
  readonly log: string;
  /**
   * Makes all these requests durable in one transaction and one sync, and says what became of each, in order.
   * Quota, idempotency keys and single-use attestations are decided inside the transaction, so they hold
   * against every other process on the same store. Entries that commit get consecutive leaf indexes.
   */
  commit(requests: readonly CommitRequest[]): Promise<readonly RequestOutcome[]>;
  /** Where a commit is work for a thread beside this one, and no wait for somebody far away. */
  readonly commitsBeside?: true;
  /** The newest time any committed record carries, over all logs; 0 before the first. */
  newestAtMs(): Promise<number>;

  /** The unexpired answer bound to an idempotency key. */
  findAnswer(workspace: string, key: string, nowMs: number): Promise<StoredAnswer | null>;
  /** Sees every decision that was answered, also when the search index has not caught up. */
  findDecision(workspace: string, decisionId: string): Promise<LoggedRecord | null>;
  /** Sees every decision that was answered before the call. */
  listDecisions(query: DecisionQuery): Promise<DecisionPage>;

  logs(): Promise<readonly LogHead[]>;
  /** Segments of a log from the one that holds leaf `fromIndex` on, in order, at most `limit`. */
  segments(log: string, fromIndex: number, limit: number): Promise<readonly Segment[]>;
  /** Throws the search index away and fills it again from the log; resolves with the number of records indexed. */
  rebuildIndex(): Promise<number>;
}

// ---------------------------------------------------------------- usage

export interface Usage {
  readonly development: number;
  readonly live: number;
}

export interface DailyUsage {
  /** `2026-11-15`, UTC. */
  readonly day: string;
  readonly keyId: string;
  readonly checks: number;
}

/** Decisions of one stretch of time by what they came to. */
export interface DecisionCount {
  /** The start of an hour or of a day, UTC. */
  readonly fromMs: number;
  readonly allow: number;
  readonly pause: number;
  readonly block: number;
  /** Those among them whose evaluated decision differs. */
  readonly warned: number;
}

export interface UsageReading {
  /** `period` is `2026-11`, UTC. Exact. */
  usage(workspace: string, period: string): Promise<Usage>;
  /** Of one month, by day and key, from the search index. */
  usageByDay(workspace: string, period: string): Promise<readonly DailyUsage[]>;
  /**
   * Oldest first, without those in which nothing was decided. Whole hours: of the one that holds `fromMs` on, to the
   * last that begins before `toMs`. Pruning leaves these counts alone.
   */
  countDecisions(
    workspace: string,
    fromMs: number,
    toMs: number,
    step: 'hour' | 'day',
  ): Promise<readonly DecisionCount[]>;
}

// ---------------------------------------------------------------- evidence

export interface AttestationState extends ConsumedAttestation {
  readonly usedUp: boolean;
  readonly revoked: boolean;
}

export interface Evidence {
  /** One state per item, in order. */
  attestationStates(
    workspace: string,
    items: readonly ConsumedAttestation[],
  ): Promise<readonly AttestationState[]>;
  /** Resolves with the time of the first revocation: revoking twice changes nothing. */
  revokeAttestation(workspace: string, item: ConsumedAttestation, nowMs: number): Promise<number>;
}

// ---------------------------------------------------------------- policies

export interface PolicyRevision {
  readonly workspace: string;
  /** From 1 on, without gaps. */
  readonly revision: number;
  readonly digest: string;
  /** Null where it came from a folder or the command line. */
  readonly authorKeyId: string | null;
  readonly createdAtMs: number;
  /** The revision whose documents were taken up again, where it is a rollback. */
  readonly rollbackOf: number | null;
}

export interface StoredPolicy extends PolicyRevision {
  /** JSON array of the documents. */
  readonly documents: string;
}

export interface NewPolicy {
  readonly workspace: string;
  readonly digest: string;
  readonly documents: string;
  readonly authorKeyId: string | null;
  readonly createdAtMs: number;
  readonly rollbackOf: number | null;
  /** The digest the author believes to be running (null: none yet); left out where the author does not mind. */
  readonly expectedDigest?: string | null;
}

export type AppendPolicyOutcome =
  | { readonly kind: 'appended'; readonly revision: number }
  /** That digest is running already: nothing was written. */
  | { readonly kind: 'unchanged'; readonly revision: number }
  | { readonly kind: 'conflict'; readonly runningDigest: string | null };

export interface Policies {
  appendPolicy(policy: NewPolicy): Promise<AppendPolicyOutcome>;
  currentPolicy(workspace: string): Promise<StoredPolicy | null>;
  findPolicy(workspace: string, revision: number): Promise<StoredPolicy | null>;
  /** The newest revision with that digest. */
  findPolicyByDigest(workspace: string, digest: string): Promise<StoredPolicy | null>;
  /** Newest first, without documents; all of them unless a limit is given. */
  listPolicies(workspace: string, limit?: number): Promise<readonly PolicyRevision[]>;
}

// ---------------------------------------------------------------- redemptions

export interface Redemption {
  readonly workspace: string;
  readonly decisionId: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  readonly atMs: number;
  /** Null where none was sent. Until `expiresAtMs` the key is good for this redemption and for nothing else. */
  readonly idempotency: {
    readonly key: string;
    readonly requestDigest: string;
    readonly expiresAtMs: number;
  } | null;
  readonly intentDigest: string;
  /** When it was decided: the policy revision that ran then must still be the running one. */
  readonly decidedAtMs: number;
  /** What must still hold when it is committed: the running bundle, the evidence, and the time. */
  readonly policyRef: string | null;
  readonly restsOn: readonly ConsumedAttestation[];
  readonly validUntilMs: number;
}

export type RedeemOutcome =
  | { readonly kind: 'redeemed'; readonly redeemedAtMs: number }
  /** The same request under the same idempotency key redeemed it before. */
  | { readonly kind: 'same'; readonly redeemedAtMs: number }
  /** The idempotency key was used before: with another body, for another decision, or for a check. */
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'already_redeemed' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'policy_changed' }
  | { readonly kind: 'evidence_revoked' };

/** How a redemption's key is kept, with what it came with; a key itself holds no space. */
export const keptRedeemKey = ({ idempotency }: Redemption): string | null =>
  idempotency === null ? null : `${idempotency.key} ${idempotency.requestDigest}`;

/** What binds an idempotency key to a redemption; a check's digest never looks like this. */
export const redeemClaimDigest = ({ idempotency, decisionId }: Redemption): string | null =>
  idempotency === null ? null : `${idempotency.requestDigest} ${decisionId}`;

export interface Redemptions {
  /**
   * Once under any concurrency, and recorded in the log in the same commit. Whether the decision is an allow of
   * that digest is the caller's question, since neither ever changes; what may change is asked in the commit.
   */
  redeem(redemption: Redemption): Promise<RedeemOutcome>;
}

// ---------------------------------------------------------------- the log's tree and its signatures

/** A signed checkpoint with the frontier whose root it signs. */
export interface StoredCheckpoint {
  readonly log: string;
  readonly size: number;
  /** The whole signed note. */
  readonly note: string;
  readonly frontier: Uint8Array;
}

export interface Continuation {
  /** The name of the new log. */
  readonly log: string;
  /** The entry it begins with. */
  readonly leaf: Uint8Array;
  readonly atMs: number;
  /** The log it goes on from, and how many leaves that must have now. */
  readonly from: { readonly log: string; readonly size: number };
}

export interface PruneQuery {
  /** Every workspace where left out. */
  readonly workspace?: string;
  /** What is older than this. */
  readonly beforeMs?: number;
  /** Decisions about this object, and their redemptions. */
  readonly objectRef?: string;
}

export interface LogKeeping {
  /** Roots of complete subtrees that lie within the log, in the order asked for. */
  subtreeHashes(log: string, subtrees: readonly Subtree[]): Promise<readonly Uint8Array[]>;
  newestCheckpoint(log: string): Promise<StoredCheckpoint | null>;
  /** Keeps it as the newest of its log; one that is not larger than the kept one changes nothing. */
  keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
  /** Every verifier key line ever published, newest first. */
  verifierKeys(): Promise<readonly string[]>;
  /** Publishing a line twice changes nothing. */
  publishVerifierKey(line: string, nowMs: number): Promise<void>;
  /** Begins a new log after the open one; false where that one is another or has grown. Needs a restart to be used. */
  continueLog(continuation: Continuation): Promise<boolean>;
  /**
   * Takes records and leaves that the query names out of the log and its index, and keeps the hashes of the
   * leaves. Continuations stay. Resolves with how many entries were emptied.
   */
  prune(query: PruneQuery): Promise<number>;
}

// ---------------------------------------------------------------- changes and health

/** A change that caches above the store must follow, whichever process made it. */
export type Change =
  /** A key was revoked, rotated or given another expiry. */
  | { readonly kind: 'key'; readonly workspace: string; readonly keyId: string }
  | { readonly kind: 'policy'; readonly workspace: string }
  /** Anything happened to a review. */
  | { readonly kind: 'review'; readonly workspace: string; readonly reviewId: string }
  /** More changed than was kept track of, or the store was out of sight: forget everything cached. */
  | { readonly kind: 'everything' };

export interface Store
  extends WorkspacesAndKeys,
    Decisions,
    UsageReading,
    Evidence,
    Policies,
    Redemptions,
    LogKeeping,
    Reviews {
  /**
   * Calls back within half a second of every change, made by this process or another. Returns the way to stop.
   * `unchanged` is told of every look that found nothing: what was read before and not announced as changed since
   * held at least until `atMs`, by `performance.now()`.
   */
  watch(listener: (change: Change) => void, unchanged?: (atMs: number) => void): () => void;
  /** Whether a write would succeed now, tried for real; `why` names the fault and the mend. */
  health(): Promise<{ readonly kind: 'ok' } | { readonly kind: 'failing'; readonly why: string }>;
  /** Removes expired idempotency rows and the like; called now and then, resolves with the number removed. */
  sweep(nowMs: number): Promise<number>;
  /** Finishes what is in flight, then lets go of every file and thread. */
  close(): Promise<void>;
}
