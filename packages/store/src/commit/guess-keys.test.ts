import { expect, test } from 'vitest';
import { newRequest } from '../../test/store-contract/store-contract-values.ts';
import type { StoredAnswer } from '../port.ts';
import { type Known, NO_BUNDLE } from './admit.ts';
import { GuessedKeys, KeyExists } from './guess-keys.ts';

const KEPT: StoredAnswer = {
  requestDigest: 'r',
  expiresAtMs: 9,
  replayableWhile: null,
  response: Buffer.from('kept'),
};
let lookedFor: string[] = [];
const known: Known = {
  used: () => 0,
  answer(_, key) {
    lookedFor.push(key);
    return key === 'known' ? KEPT : undefined;
  },
  stored: () => 0,
  basis: () => ({ ended: null, freezeNumber: 0, running: NO_BUNDLE, storesAtMost: null }),
  isConsumed: () => false,
  isRevoked: () => false,
  draws: () => ({ draws: '', restoredMs: null }),
};
const claim = (key: string, limit: number | null = null) => ({
  ...newRequest('ws_1', { atMs: 1, limit, claim: { key, response: key, expiresAtMs: 9 } }),
  storedBytes: 1,
});

/** Does what a store does: a claim of a known key that was not looked up fails on writing. */
const committed = (keys: GuessedKeys, requests: ReturnType<typeof claim>[]) =>
  keys.commit(() => {
    const { isGuess, answers, requests: outcomes } = keys.admit(requests);
    if (isGuess && answers.some(({ key }) => key === 'known')) throw new KeyExists();
    return outcomes.map(({ kind }) => kind);
  });

test('new keys are not looked up, and an existing key is looked up before any response', () => {
  const keys = new GuessedKeys(known);
  lookedFor = [];
  expect(committed(keys, [claim('a'), claim('b')])).toEqual(['admitted', 'admitted']);
  expect(lookedFor).toEqual([]);
  expect(committed(keys, [claim('c'), claim('known')])).toEqual(['admitted', 'twin']);
  expect(lookedFor).toEqual(['c', 'known']);
});

test('after a wrong guess the next commits look up keys, and then it guesses again', () => {
  const keys = new GuessedKeys(known);
  committed(keys, [claim('known')]);
  let looking = 0;
  for (lookedFor = []; committed(keys, [claim('new')]) && lookedFor.length > 0; lookedFor = []) looking += 1;
  expect(looking).toBe(63);
});

test('a request that is not recorded is looked up: a twin over quota gets its response', () => {
  const keys = new GuessedKeys(known);
  expect(committed(keys, [claim('known', 0)])).toEqual(['twin']);
  expect(committed(new GuessedKeys(known), [claim('unknown', 0)])).toEqual(['over']);
});

test('any other failure is not retried', () => {
  let attempts = 0;
  const keys = new GuessedKeys(known);
  const attempt = (): never => {
    attempts += 1;
    throw new RangeError('full');
  };
  expect(() => keys.commit(attempt)).toThrow(RangeError);
  expect(attempts).toBe(1);
});
