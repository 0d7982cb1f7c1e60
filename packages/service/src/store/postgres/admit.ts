/**
 * What a group of requests comes to, given what is known of limits, keys and attestations. It decides nothing for
 * good: the commit assumes what was known here and is undone where that is not true.
 */
import type { CheckingKeyKind, CommitEntry, CommitRequest, StoredAnswer } from '../port.ts';
import { storableId } from './storable-text.ts';

/** What one month's checks of a workspace and a kind of key are charged to. */
export interface Account {
  readonly workspace: string;
  readonly period: string;
  readonly kind: CheckingKeyKind;
  readonly limit: number | null;
  /** Entries of this group that are charged to it. */
  charged: number;
}

export interface KeptAnswer {
  readonly workspace: string;
  readonly key: string;
  readonly claimedAtMs: number;
  readonly stored: StoredAnswer;
}

export interface AttestationName {
  readonly workspace: string;
  readonly source: string;
  readonly id: string;
}

export interface Known {
  used(account: Omit<Account, 'charged'>): number;
  answer(workspace: string, key: string, atMs: number): StoredAnswer | undefined;
  isConsumed(name: string): boolean;
  isRevoked(name: string): boolean;
}

/** The first try takes it that nothing stands in the way, which is nearly always so and saves a look. */
export const NOTHING_KNOWN: Known = {
  used: () => 0,
  answer: () => undefined,
  isConsumed: () => false,
  isRevoked: () => false,
};

export type AdmittedEntry =
  /** `rank`: how many of its account this group had charged once it was looked at. */
  | {
      readonly kind: 'admitted';
      readonly entry: CommitEntry;
      readonly account: Account;
      readonly rank: number;
    }
  | { readonly kind: 'over'; readonly account: Account; readonly rank: number; readonly limit: number };

export type AdmittedRequest =
  | { readonly kind: 'done'; readonly entries: readonly AdmittedEntry[] }
  | { readonly kind: 'twin'; readonly stored: StoredAnswer }
  | { readonly kind: 'attestation_conflict' };

export interface Admission {
  readonly requests: readonly AdmittedRequest[];
  /** Those of admitted entries, sorted. */
  readonly accounts: readonly Account[];
  readonly answers: readonly KeptAnswer[];
  readonly consumes: readonly AttestationName[];
  readonly restsOn: readonly AttestationName[];
  readonly admitted: number;
}

/** The calendar month in UTC a check is charged to. */
export const periodOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 7);

export const attestationKey = ({ workspace, source, id }: AttestationName): string =>
  JSON.stringify([workspace, source, id]);

const byText =
  <T>(textOf: (value: T) => string) =>
  (a: T, b: T): number =>
    textOf(a) < textOf(b) ? -1 : 1;

export const accountKey = ({ workspace, period, kind }: Omit<Account, 'charged' | 'limit'>): string =>
  `${workspace} ${period} ${kind}`;

export const admit = (requests: readonly CommitRequest[], known: Known): Admission => {
  const accounts = new Map<string, Account>();
  const answers = new Map<string, KeptAnswer>();
  const consumed = new Map<string, AttestationName>();
  const restsOn = new Map<string, AttestationName>();
  let admitted = 0;

  const nameOf = (workspace: string, item: { readonly source: string; readonly jti: string }) => ({
    ...{ workspace, source: item.source, id: storableId(item) },
  });

  const conflicts = ({ workspace, entries }: CommitRequest): boolean => {
    const claimed = new Set<string>();
    return entries.some(
      (entry) =>
        entry.restsOn.some((item) => known.isRevoked(attestationKey(nameOf(workspace, item)))) ||
        entry.consumes.some((item) => {
          const key = attestationKey(nameOf(workspace, item));
          if (claimed.has(key) || consumed.has(key) || known.isConsumed(key)) return true;
          claimed.add(key);
          return false;
        }),
    );
  };

  const admitEntry = ({ workspace, keyKind, limit }: CommitRequest, entry: CommitEntry): AdmittedEntry => {
    const name = { workspace, period: periodOf(entry.atMs), kind: keyKind, limit };
    const key = accountKey(name);
    let account = accounts.get(key);
    if (account === undefined) {
      account = { ...name, charged: 0 };
      accounts.set(key, account);
    }
    if (limit !== null && known.used(account) + account.charged >= limit)
      return { kind: 'over', account, rank: account.charged, limit };
    account.charged += 1;
    admitted += 1;
    for (const item of entry.consumes) {
      const consumedName = nameOf(workspace, item);
      consumed.set(attestationKey(consumedName), consumedName);
    }
    for (const item of entry.restsOn) {
      const rested = nameOf(workspace, item);
      restsOn.set(attestationKey(rested), rested);
    }
    return { kind: 'admitted', entry, account, rank: account.charged };
  };

  const outcomes = requests.map((request): AdmittedRequest => {
    const { workspace, entries, idempotency } = request;
    const atMs = entries[0]?.atMs ?? 0;
    const name = idempotency === null ? '' : `${workspace} ${idempotency.key}`;
    if (idempotency !== null) {
      const before = answers.get(name)?.stored;
      const stored =
        before !== undefined && before.expiresAtMs > atMs
          ? before
          : known.answer(workspace, idempotency.key, atMs);
      if (stored !== undefined) return { kind: 'twin', stored };
    }
    if (conflicts(request)) return { kind: 'attestation_conflict' };
    const done = entries.map((entry) => admitEntry(request, entry));
    if (idempotency !== null && done.some(({ kind }) => kind === 'admitted')) {
      const { key, requestDigest, expiresAtMs, replayableWhile } = idempotency;
      const response = responseOf(idempotency.frame, entries, done);
      const stored = { requestDigest, expiresAtMs, replayableWhile, response };
      answers.set(name, { workspace, key, claimedAtMs: atMs, stored });
    }
    return { kind: 'done', entries: done };
  });

  return {
    requests: outcomes,
    accounts: [...accounts.values()].filter(({ charged }) => charged > 0).sort(byText(accountKey)),
    answers: [...answers].sort(byText(([name]) => name)).map(([, answer]) => answer),
    consumes: [...consumed].sort(byText(([name]) => name)).map(([, name]) => name),
    restsOn: [...restsOn.values()],
    admitted,
  };
};

const responseOf = (
  frame: readonly string[],
  entries: readonly CommitEntry[],
  done: readonly AdmittedEntry[],
): Buffer => {
  let response = frame[0] ?? '';
  for (const [i, { answers }] of entries.entries()) {
    if (answers === undefined) throw new TypeError('a request that claims a key must bring its answers');
    response += done[i]!.kind === 'admitted' ? answers.committed : answers.overQuota;
    response += frame[i + 1] ?? '';
  }
  return Buffer.from(response);
};
