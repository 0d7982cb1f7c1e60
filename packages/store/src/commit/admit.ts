/** Decides each request of a group for both stores: replay, conflict, quota, or a place in the commit. */
import { type ConsumedAttestation, calendarMonth } from '@writecheck/contract';
import type { EndedCode } from '../port/acting.ts';
import {
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
import { dayOf, type StoredBytes } from './stored-bytes.ts';

/** The members of a request that admission reads; the rest is the store's concern. */
export interface Admissible extends Omit<CommitRequest, 'record' | 'leaf'> {
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
  /** Requests of this group that are charged to it. */
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

/** A request that is refused: nothing of it is recorded or charged. */
export type Refused = Exclude<CommitResult, { readonly kind: 'committed' | 'quota_exceeded' }>;

export type AdmittedRequest<Request> =
  | {
      readonly kind: 'admitted';
      readonly request: Request;
      readonly account: Account;
      /** How many requests of this group its account was charged for, including this one. */
      readonly rank: number;
      /** The limits that its record and response must show instead, if counters moved since it was decided. */
      readonly moved: MovedLimits | null;
    }
  | { readonly kind: 'over'; readonly account: Account; readonly rank: number }
  | Refused;

/** Everything a commit writes besides the log. */
export interface AdmittedGroup<Request> {
  /** One for each request, in order. */
  readonly requests: readonly AdmittedRequest<Request>[];
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

/** Decides requests in order; each sees what the ones before it took. */
export function admit<Request extends Admissible>(
  requests: readonly Request[],
  known: Known,
): AdmittedGroup<Request> {
  const group = new Group(known);
  const outcomes = requests.map((request): AdmittedRequest<Request> => {
    const { ended } = group.basisOf(request);
    if (ended !== null) return { kind: 'ended', code: ended };
    const stored = group.answerTo(request);
    if (stored !== undefined) return { kind: 'twin', stored };
    const running = group.otherBundle(request);
    if (running !== null) return { kind: 'decide_again', running: running.digest };
    if (group.isOutdated(request) || group.conflicts(request)) return { kind: 'decide_again' };
    if (group.storesTooMuch(request)) return { kind: 'stored_enough' };
    const account = group.accountOf(request);
    if (account.quota !== null && account.usedBefore + account.charged >= account.quota)
      return { kind: 'over', account, rank: account.charged };
    const moved = request.limits === undefined ? null : group.counters.settle(request.limits, request.atMs);
    if (moved === 'decide_again') return { kind: moved };
    group.record(request);
    group.chargeBytes(request);
    account.charged += 1;
    return { kind: 'admitted', request, account, rank: account.charged, moved };
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
  /** Whether the kept response under the key of the request at hand did not take it. */
  #isKeyFree = false;

  constructor(known: Known) {
    this.#known = known;
    this.counters = new LimitCounters((place) => known.draws(place));
  }

  /** Looked up once for each key of a group. */
  basisOf({ workspace, keyId }: Admissible): KnownBasis {
    const name = nameIn(workspace, keyId);
    let basis = this.#bases.get(name);
    if (basis === undefined) {
      basis = this.#known.basis(workspace, keyId);
      this.#bases.set(name, basis);
    }
    return basis;
  }

  answerTo({ workspace, idempotency, atMs }: Admissible): StoredAnswer | undefined {
    this.#isKeyFree = false;
    if (idempotency === null) return undefined;
    const name = nameIn(workspace, idempotency.key);
    const groupRow = this.answers.get(name)?.row;
    const stored =
      groupRow === undefined ? this.#known.answer(workspace, idempotency.key, atMs) : storedAnswer(groupRow);
    if (stored === undefined || stored.expiresAtMs <= atMs) return undefined;
    if (holdsKey(stored, idempotency)) return stored;
    this.#isKeyFree = true;
    return undefined;
  }

  /** The running bundle, if the request was decided under a different bundle and either has limits. */
  otherBundle(request: Admissible): DecidingBundle | null {
    const { running } = this.basisOf(request);
    if (running === null || running.digest === request.bundle.digest) return null;
    return running.hasLimits || request.bundle.hasLimits ? running : null;
  }

  storesTooMuch(request: Admissible): boolean {
    const { storesAtMost } = this.basisOf(request);
    if (storesAtMost === null) return false;
    const { workspace, storedBytes, atMs } = request;
    const day = dayOf(atMs);
    const before = this.#known.stored(workspace, day) + (this.stored.get(nameIn(workspace, day))?.bytes ?? 0);
    return before + storedBytes > storesAtMost;
  }

  chargeBytes({ workspace, storedBytes, atMs }: Admissible): void {
    const day = dayOf(atMs);
    const name = nameIn(workspace, day);
    const stored = this.stored.get(name);
    if (stored === undefined) this.stored.set(name, { workspace, day, bytes: storedBytes });
    else stored.bytes += storedBytes;
  }

  /** All admitted requests of a workspace were decided under one number. */
  isOutdated(request: Admissible): boolean {
    const { workspace, freezeNumber } = request;
    let newest = this.#newestFreezes.get(workspace);
    if (newest === undefined) {
      newest = this.basisOf(request).freezeNumber ?? freezeNumber;
      this.#newestFreezes.set(workspace, newest);
    }
    return newest !== freezeNumber;
  }

  conflicts({ workspace, consumes, restsOn }: Admissible): boolean {
    if (restsOn.some(({ source, jti }) => this.#known.isRevoked({ workspace, source, jti }))) return true;
    const claimed = new Set<string>();
    return consumes.some(({ source, jti }) => {
      const name = { workspace, source, jti };
      const key = attestationKey(name);
      // INVARIANT: one attestation with two items is used twice.
      const isTaken = claimed.has(key) || this.consumed.has(key) || this.#known.isConsumed(name);
      claimed.add(key);
      return isTaken;
    });
  }

  /** Notes everything that an admitted request takes. */
  record({
    workspace,
    keyId,
    freezeNumber,
    bundle,
    atMs,
    consumes,
    restsOn,
    redeems,
    idempotency,
  }: Admissible): void {
    this.askingKeys.add(keyId);
    this.freezeNumbers.set(workspace, freezeNumber);
    const bundleName = nameIn(workspace, bundle.digest ?? '');
    if (!this.bundles.has(bundleName)) this.bundles.set(bundleName, { ...bundle, workspace });
    if (redeems !== undefined)
      this.redemptions.push({ workspace, decisionId: redeems.decisionId, keyId, atMs });
    for (const { source, jti } of consumes) {
      const name = { workspace, source, jti };
      this.consumed.set(attestationKey(name), name);
    }
    for (const { source, jti } of restsOn) {
      const name = { workspace, source, jti };
      this.restsOn.set(attestationKey(name), name);
    }
    if (idempotency === null) return;
    const { key, requestDigest, claim, expiresAtMs, replayableWhile, response } = idempotency;
    const takesKey = claim === null || redeems !== undefined;
    const row = {
      request_digest: takesKey ? requestDigest : untakenDigest(requestDigest, claim),
      expires_ms: expiresAtMs,
      replayable_while: replayableWhile,
      response: Buffer.from(response),
    };
    const name = nameIn(workspace, key);
    const replaces = this.#isKeyFree || this.answers.get(name)?.replaces === true;
    this.answers.set(name, { workspace, key, claimedAtMs: atMs, replaces, row });
  }

  accountOf({ workspace, keyKind: kind, quota, atMs }: Admissible): Account {
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
