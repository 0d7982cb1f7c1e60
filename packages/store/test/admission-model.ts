/** Generates requests as they may arrive, and a minimal store that admits them, for tests. */
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { fc } from '../../../scripts/fast-check.ts';
import {
  type Admissible,
  type AdmittedGroup,
  accountKey,
  attestationKey,
  type Known,
  type KnownBasis,
  NO_BUNDLE,
  nameIn,
} from '../src/commit/admit.ts';
import type { StoredAnswer, StoredDraws } from '../src/port.ts';
import { storedAnswer } from '../src/rows.ts';

/** What a store keeps about the groups it has committed. */
export class PlainStore implements Known {
  readonly #used = new Map<string, number>();
  readonly #answers = new Map<string, StoredAnswer>();
  readonly #consumed = new Set<string>();
  readonly #draws = new Map<string, string>();
  readonly #stored = new Map<string, number>();
  readonly revoked = new Set<string>();
  readonly revokedKeys = new Set<string>();
  /** The same for every workspace. */
  frozen = 0;
  storesAtMost: number | null = null;

  used(account: Parameters<Known['used']>[0]): number {
    return this.#used.get(accountKey(account)) ?? 0;
  }

  answer(workspace: string, key: string, atMs: number): StoredAnswer | undefined {
    const stored = this.#answers.get(nameIn(workspace, key));
    return stored === undefined || stored.expiresAtMs <= atMs ? undefined : stored;
  }

  basis(_: string, keyId: string): KnownBasis {
    const ended = this.revokedKeys.has(keyId) ? 'key_revoked' : null;
    return { ended, freezeNumber: this.frozen, running: null, storesAtMost: this.storesAtMost };
  }

  stored(workspace: string, day: string): number {
    return this.#stored.get(nameIn(workspace, day)) ?? 0;
  }

  isConsumed(name: Parameters<Known['isConsumed']>[0]): boolean {
    return this.#consumed.has(attestationKey(name));
  }

  isRevoked(name: Parameters<Known['isRevoked']>[0]): boolean {
    return this.revoked.has(attestationKey(name));
  }

  draws(place: string): StoredDraws {
    return { draws: this.#draws.get(place) ?? '', restoredMs: null };
  }

  charge(account: Parameters<Known['used']>[0], count: number): void {
    this.#used.set(accountKey(account), this.used(account) + count);
  }

  /** Throws if it would take something twice. */
  commit({ accounts, answers, consumes, draws, stored }: AdmittedGroup<unknown>): void {
    for (const { workspace, day, bytes } of stored)
      this.#stored.set(nameIn(workspace, day), this.stored(workspace, day) + bytes);
    for (const one of draws) this.#draws.set(one.place, one.draws);
    for (const account of accounts) this.charge(account, account.charged);
    for (const { workspace, key, row } of answers)
      this.#answers.set(nameIn(workspace, key), storedAnswer(row));
    for (const name of consumes) {
      if (this.isConsumed(name)) throw new Error('an attestation was consumed twice');
      this.#consumed.add(attestationKey(name));
    }
  }
}

export interface TestRequest extends Admissible {
  readonly id: string;
}

export const NOVEMBER = '2026-11';
export const LIMIT = 3;
export const BYTES_OF_REQUEST = 10;
const MIDNIGHT_MS = Date.UTC(2026, 11, 1);

const attestation = fc.constantFrom('j1', 'j2', 'j3').map((jti) => ({ source: 's', jti }));
/** Rare, so that most requests succeed. */
const attestations = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(attestation, { minLength: 1, maxLength: 2 }) },
);

const request = fc.record({
  workspace: fc.constantFrom('ws_1', 'ws_2'),
  keyKind: fc.constantFrom('development' as const, 'live' as const),
  atMs: fc.constantFrom(MIDNIGHT_MS - 1, MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS),
  consumes: attestations,
  restsOn: attestations,
  key: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('k1', 'k2') },
  ),
  claim: fc.constantFrom(null, null, 'c1', 'c2'),
  isTaken: fc.boolean(),
  /** Some claims end before the last of the times above. */
  expiresAtMs: fc.constantFrom(MIDNIGHT_MS + 1, MIDNIGHT_MS + DAY_MS),
  /** Rarely one that the store does not have. */
  freezeNumber: fc.constantFrom(0, 0, 0, 0, 0, 1),
});

/** Each with a unique name, so that it is recognized again. */
export const requestGroups = fc
  .array(request, { maxLength: 20 })
  .map((drafts) => drafts.map((draft, i) => requestOf(draft, `r${i}`)));

function requestOf(
  draft: typeof request extends fc.Arbitrary<infer Draft> ? Draft : never,
  id: string,
): TestRequest {
  const { workspace, keyKind, atMs, consumes, restsOn, freezeNumber, key, claim, isTaken, expiresAtMs } =
    draft;
  return {
    ...{ id, workspace, keyKind, atMs, consumes, restsOn, freezeNumber },
    keyId: `key of ${workspace}`,
    quota: keyKind === 'development' ? LIMIT : null,
    bundle: NO_BUNDLE,
    storedBytes: BYTES_OF_REQUEST,
    idempotency:
      key === null
        ? null
        : { key, requestDigest: id, claim, expiresAtMs, replayableWhile: 'null', response: `${id} ü` },
    ...(key !== null && claim !== null && isTaken && { redeems: { decisionId: id, intentDigest: id } }),
  };
}
