/** Decides each request of a group for both stores: replay, conflict, quota, or a place in the commit. */
import { type ConsumedAttestation, calendarMonth } from '@writecheck/contract';
import type { EndedCode } from '../port/acting.ts';
import {
  type CommitEntry,
  type CommitRequest,
  type CommitResult,
  type DecidingBundle,
  holdsKey,
  type StoredAnswer,
  untakenDigest,
} from '../port/commit.ts';
import type { CheckingKeyKind } from '../port/keys.ts';
import type { MovedLimits, StoredDraws } from '../port/limits.ts';
import type { Redemption } from '../port/redemptions.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { type DrawnPlace, LimitCounters } from './admit-limits.ts';
import { keptResponse } from './kept-answer.ts';
import { dayOf, type StoredBytes } from './stored-bytes.ts';

/** The members of an entry that admission reads; the rest is the store's concern. */
export type Admissible = Pick<
  CommitEntry,
  'atMs' | 'consumes' | 'restsOn' | 'answers' | 'limits' | 'redeems'
>;

export interface Candidate<Entry extends Admissible> extends Omit<CommitRequest, 'entries'> {
  readonly entries: readonly Entry[];
  /** What it would store, see `stored-bytes.ts`. */
  readonly storedBytes: number;
}

/** A workspace's checks in one month with one kind of key. */
interface AccountName {
  readonly workspace: string;
  readonly period: string;
  readonly kind: CheckingKeyKind;
}

export interface Account extends AccountName {
  /** INVARIANT: all requests of a group that share an account have the same quota. */
  readonly quota: number | null;
  /** Checks charged to it before this group, as far as is known. */
  readonly usedBefore: number;
  /** Entries of this group that are charged to it. */
  charged: number;
}

interface KeptAnswer {
  readonly workspace: string;
  readonly key: string;
  readonly claimedAtMs: number;
  /** Whether the key has a response that did not take it. */
  readonly replaces: boolean;
  readonly row: AnswerRow;
}

export interface AttestationName extends ConsumedAttestation {
  readonly workspace: string;
}

/** A decision that is redeemed in the commit that records it. */
type NewRedemption = Pick<Redemption, 'workspace' | 'decisionId' | 'keyId' | 'atMs'>;

/** The bundle of a workspace without policies. */
export const NO_BUNDLE: DecidingBundle = { digest: null, hasLimits: false };

/** What a decision rests on besides evidence and limits, for one key of a workspace. */
export interface KnownBasis {
  /** Set if the key was revoked, its holder is disabled, or the workspace is not active. */
  readonly ended: EndedCode | null;
  /** The number of the workspace's newest freeze or lift; null if the commit itself compares it. */
  readonly freezeNumber: number | null;
  /** The running bundle of the workspace; null if the commit compares it. */
  readonly running: DecidingBundle | null;
  /** The bytes that the workspace may store a day; null if unlimited, or if the commit compares it. */
  readonly storesAtMost: number | null;
}

/** The state before this group. */
export interface Known {
  used(account: AccountName): number;
  /** The bytes that a workspace with a ceiling has stored on a day. */
  stored(workspace: string, day: string): number;
  /** The response bound to a key, unless it has expired by then. */
  answer(workspace: string, key: string, atMs: number): StoredAnswer | undefined;
  basis(workspace: string, keyId: string): KnownBasis;
  isConsumed(name: AttestationName): boolean;
  isRevoked(name: AttestationName): boolean;
  draws(place: string): StoredDraws;
}

type AdmittedEntry<Entry> =
  /** `rank`: how many entries of this group its account was charged for, including this one. */
  | {
      readonly kind: 'admitted';
      readonly entry: Entry;
      readonly account: Account;
      readonly rank: number;
      /** The limits that its record and response must show instead, if counters moved since it was decided. */
      readonly moved: MovedLimits | null;
    }
  | { readonly kind: 'over'; readonly account: Account; readonly rank: number; readonly limit: number };

/** A request that is refused as a whole: nothing of it is recorded or charged. */
export type Refused = Exclude<CommitResult, { readonly kind: 'done' }>;

export type AdmittedRequest<Entry> =
  | { readonly kind: 'done'; readonly entries: readonly AdmittedEntry<Entry>[] }
  | Refused;

/** Everything a commit writes besides the log. */
export interface AdmittedGroup<Entry> {
  /** One for each request, in order. */
  readonly requests: readonly AdmittedRequest<Entry>[];
  /** The accounts that are charged. */
  readonly accounts: readonly Account[];
  /** What is stored, by workspace and day. */
  readonly stored: readonly StoredBytes[];
  readonly answers: readonly KeptAnswer[];
  readonly consumes: readonly AttestationName[];
  readonly restsOn: readonly AttestationName[];
  readonly draws: readonly DrawnPlace[];
  /** The bundles that everything admitted was decided under, by workspace. */
  readonly bundles: readonly (DecidingBundle & { readonly workspace: string })[];
  readonly redemptions: readonly NewRedemption[];
  /** The keys with an admitted request. */
  readonly askingKeys: readonly string[];
  /** The freeze number under which all admitted requests of a workspace were decided, by workspace. */
  readonly freezeNumbers: ReadonlyMap<string, number>;
}

/**
 * Decides requests in order; each sees what the ones before it took. An entry is admitted while its account has room;
 * a request whose key or attestation is taken is refused as a whole.
 */
export function admit<Entry extends Admissible>(
  requests: readonly Candidate<Entry>[],
  known: Known,
): AdmittedGroup<Entry> {
  const group = new Group(known);
  const outcomes = requests.map((request): AdmittedRequest<Entry> => {
    const { ended } = group.basisOf(request);
    if (ended !== null) return { kind: 'ended', code: ended };
    const stored = group.answerTo(request);
    if (stored !== undefined) return { kind: 'twin', stored };
    const running = group.otherBundle(request);
    if (running !== null) return { kind: 'decide_again', running: running.digest };
    if (group.isOutdated(request) || group.conflicts(request)) return { kind: 'decide_again' };
    if (group.storesTooMuch(request)) return { kind: 'stored_enough' };
    const moved = group.settleLimits(request);
    if (moved === 'decide_again') return { kind: moved };
    const entries = request.entries.map((entry, i) => group.charge(request, entry, moved?.[i] ?? null));
    group.keepAnswer(request, entries);
    if (entries.some(({ kind }) => kind === 'admitted')) group.chargeBytes(request);
    return { kind: 'done', entries };
  });
  return {
    requests: outcomes,
    accounts: [...group.accounts.values()].filter(({ charged }) => charged > 0),
    stored: [...group.stored.values()],
    answers: [...group.answers.values()],
    consumes: [...group.consumed.values()],
    restsOn: [...group.restsOn.values()],
    draws: group.counters.drawn,
    bundles: [...group.bundles.values()],
    redemptions: group.redemptions,
    askingKeys: [...group.askingKeys],
    freezeNumbers: group.freezeNumbers,
  };
}

/** Tracks what the requests so far have taken. */
class Group {
  readonly #known: Known;
  readonly accounts = new Map<string, Account>();
  readonly stored = new Map<string, StoredBytes>();
  readonly answers = new Map<string, KeptAnswer>();
  readonly consumed = new Map<string, AttestationName>();
  readonly restsOn = new Map<string, AttestationName>();
  readonly redemptions: NewRedemption[] = [];
  readonly askingKeys = new Set<string>();
  readonly counters: LimitCounters;
  readonly bundles = new Map<string, DecidingBundle & { readonly workspace: string }>();
  readonly freezeNumbers = new Map<string, number>();
  /** The account charged last: nearly every check is charged to the same one as the check before it. */
  #last: Account | null = null;
  readonly #bases = new Map<string, KnownBasis>();
  readonly #newestFreezes = new Map<string, number>();
  /** Keys whose kept response did not take them. */
  readonly #freeKeys = new Set<string>();

  constructor(known: Known) {
    this.#known = known;
    this.counters = new LimitCounters((place) => known.draws(place));
  }

  /** Looked up once for each key of a group. */
  basisOf({ workspace, keyId }: Candidate<Admissible>): KnownBasis {
    const name = nameIn(workspace, keyId);
    let basis = this.#bases.get(name);
    if (basis === undefined) {
      basis = this.#known.basis(workspace, keyId);
      this.#bases.set(name, basis);
    }
    return basis;
  }

  answerTo({ workspace, idempotency, entries }: Candidate<Admissible>): StoredAnswer | undefined {
    if (idempotency === null) return undefined;
    const atMs = entries[0]?.atMs ?? 0;
    const name = nameIn(workspace, idempotency.key);
    const groupRow = this.answers.get(name)?.row;
    const stored =
      groupRow === undefined ? this.#known.answer(workspace, idempotency.key, atMs) : storedAnswer(groupRow);
    if (stored === undefined || stored.expiresAtMs <= atMs) return undefined;
    if (holdsKey(stored, idempotency)) return stored;
    this.#freeKeys.add(name);
    return undefined;
  }

  /** The running bundle, if the request was decided under a different bundle and either has limits. */
  otherBundle(request: Candidate<Admissible>): DecidingBundle | null {
    const { running } = this.basisOf(request);
    if (running === null || running.digest === request.bundle.digest) return null;
    return running.hasLimits || request.bundle.hasLimits ? running : null;
  }

  /** INVARIANT: an entry over quota draws nothing, and neither does any after it. */
  settleLimits<Entry extends Admissible>(request: Candidate<Entry>) {
    const { entries, quota } = request;
    if (!entries.some(({ limits }) => limits !== undefined)) return null;
    if (quota === null) return this.counters.settle(entries);
    const { usedBefore, charged } = this.#accountOf(request, entries[0]!.atMs);
    return this.counters.settle(entries.slice(0, Math.max(0, quota - usedBefore - charged)));
  }

  /** INVARIANT: as a whole, so that no ceiling is passed by a part of a batch. */
  storesTooMuch(request: Candidate<Admissible>): boolean {
    const { storesAtMost } = this.basisOf(request);
    if (storesAtMost === null) return false;
    const { workspace, storedBytes } = request;
    const day = dayOf(request.entries[0]?.atMs ?? 0);
    const before = this.#known.stored(workspace, day) + (this.stored.get(nameIn(workspace, day))?.bytes ?? 0);
    return before + storedBytes > storesAtMost;
  }

  chargeBytes({ workspace, storedBytes, entries }: Candidate<Admissible>): void {
    const day = dayOf(entries[0]!.atMs);
    const name = nameIn(workspace, day);
    const stored = this.stored.get(name);
    if (stored === undefined) this.stored.set(name, { workspace, day, bytes: storedBytes });
    else stored.bytes += storedBytes;
  }

  /** All admitted requests of a workspace were decided under one number. */
  isOutdated(request: Candidate<Admissible>): boolean {
    const { workspace, freezeNumber } = request;
    let newest = this.#newestFreezes.get(workspace);
    if (newest === undefined) {
      newest = this.basisOf(request).freezeNumber ?? freezeNumber;
      this.#newestFreezes.set(workspace, newest);
    }
    return newest !== freezeNumber;
  }

  conflicts({ workspace, entries }: Candidate<Admissible>): boolean {
    let claimed: Set<string> | null = null;
    for (const { consumes, restsOn } of entries) {
      for (const { source, jti } of restsOn) {
        if (this.#known.isRevoked({ workspace, source, jti })) return true;
      }
      for (const { source, jti } of consumes) {
        const name = { workspace, source, jti };
        const key = attestationKey(name);
        claimed ??= new Set();
        if (claimed.has(key) || this.consumed.has(key) || this.#known.isConsumed(name)) return true;
        claimed.add(key);
      }
    }
    return false;
  }

  charge<Entry extends Admissible>(
    request: Candidate<Entry>,
    entry: Entry,
    moved: MovedLimits | null,
  ): AdmittedEntry<Entry> {
    const { workspace, quota, bundle } = request;
    const account = this.#accountOf(request, entry.atMs);
    if (quota !== null && account.usedBefore + account.charged >= quota)
      return { kind: 'over', account, rank: account.charged, limit: quota };
    account.charged += 1;
    this.askingKeys.add(request.keyId);
    this.freezeNumbers.set(workspace, request.freezeNumber);
    const bundleName = nameIn(workspace, bundle.digest ?? '');
    if (!this.bundles.has(bundleName)) this.bundles.set(bundleName, { ...bundle, workspace });
    if (entry.redeems !== undefined) {
      const { decisionId } = entry.redeems;
      this.redemptions.push({ workspace, decisionId, keyId: request.keyId, atMs: entry.atMs });
    }
    for (const { source, jti } of entry.consumes) {
      const name = { workspace, source, jti };
      this.consumed.set(attestationKey(name), name);
    }
    for (const { source, jti } of entry.restsOn) {
      const name = { workspace, source, jti };
      this.restsOn.set(attestationKey(name), name);
    }
    return { kind: 'admitted', entry, account, rank: account.charged, moved };
  }

  /** A request that committed nothing keeps nothing: its caller may retry with the same key. */
  keepAnswer<Entry extends Admissible>(
    { workspace, idempotency, entries }: Candidate<Entry>,
    outcomes: readonly AdmittedEntry<Entry>[],
  ): void {
    if (idempotency === null || !outcomes.some(({ kind }) => kind === 'admitted')) return;
    const { key, requestDigest, claim, expiresAtMs, replayableWhile } = idempotency;
    const takesKey = claim === null || entries.some(({ redeems }) => redeems !== undefined);
    const row = {
      request_digest: takesKey ? requestDigest : untakenDigest(requestDigest, claim),
      expires_ms: expiresAtMs,
      replayable_while: replayableWhile,
      response: keptResponse(idempotency, entries, outcomes),
    };
    const name = nameIn(workspace, key);
    const replaces = this.#freeKeys.has(name);
    this.answers.set(name, { workspace, key, claimedAtMs: entries[0]!.atMs, replaces, row });
  }

  #accountOf({ workspace, keyKind: kind, quota }: Candidate<Admissible>, atMs: number): Account {
    const { period } = calendarMonth(atMs);
    const last = this.#last;
    if (last !== null && last.workspace === workspace && last.period === period && last.kind === kind)
      return last;
    const key = accountKey({ workspace, period, kind });
    let account = this.accounts.get(key);
    if (account === undefined) {
      const usedBefore = this.#known.used({ workspace, period, kind });
      account = { workspace, period, kind, quota, usedBefore, charged: 0 };
      this.accounts.set(key, account);
    }
    this.#last = account;
    return account;
  }
}

/** A workspace, a calendar month (UTC) and a kind of key: what a check is charged to. */
export function accountKey({ workspace, period, kind }: AccountName): string {
  return `${workspace} ${period} ${kind}`;
}

/** Tells a workspace's API key, idempotency key or bundle from those of all others. */
export function nameIn(workspace: string, id: string): string {
  return `${workspace} ${id}`;
}

export function attestationKey({ workspace, source, jti }: AttestationName): string {
  return JSON.stringify([workspace, source, jti]);
}
