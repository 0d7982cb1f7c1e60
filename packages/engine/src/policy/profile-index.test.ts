import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../../../scripts/processor-ms.ts';
import { profile, type Random, seeded } from '../../test/documents.ts';
import { medianCostMs } from '../../test/thread-time.ts';
import { compile } from './compile.ts';
import type { Pattern, ProfileDocument } from './documents.ts';
import { asciiLower, compilePattern, MATCH_MEMBERS } from './match.ts';
import { ProfileIndex } from './profile-index.ts';
import type { Profile } from './snapshot.ts';

function snapshotOf(documents: readonly unknown[]) {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

function idsFor(intent: WriteIntent, ...profiles: object[]): readonly string[] {
  const documents = profiles.map((one, index) => profile({ id: `p${index}`, ...one }));
  return snapshotOf(documents)
    .matchingProfiles(intent)
    .map((found) => found.id);
}

describe('matching', () => {
  const intent: WriteIntent = {
    system: 'ERP',
    objectType: 'Vendor',
    field: 'IBAN',
    operation: 'vendor.update',
  };

  test.each<[string, object, WriteIntent, boolean]>([
    ['no match', {}, { system: 'x' }, true],
    ['an empty match', { match: {} }, { system: 'x' }, true],
    ['another system', { match: { system: 'crm' } }, intent, false],
    ['a caseless system', { match: { system: 'erp' } }, intent, true],
    ['a system among others', { match: { system: ['crm', 'Erp'] } }, intent, true],
    ['a system by glob', { match: { system: 'e*' } }, intent, true],
    ['another system by glob', { match: { system: 'c*' } }, intent, false],
    ['a list with a glob', { match: { system: ['crm', 'e*'] } }, intent, true],
    ['an object type', { match: { objectType: 'vendor' } }, intent, true],
    ['another object type', { match: { objectType: 'customer' } }, intent, false],
    [
      'another object type of the same system',
      { match: { system: 'erp', objectType: 'customer' } },
      intent,
      false,
    ],
    ['an object type by glob', { match: { system: 'erp', objectType: 'v*' } }, intent, true],
    ['a field', { match: { field: ['iban', 'bic'] } }, intent, true],
    ['another field', { match: { field: 'bic' } }, intent, false],
    ['an operation', { match: { operation: 'vendor.*' } }, intent, true],
    ['another operation', { match: { operation: 'customer.*' } }, intent, false],
    [
      'all of four',
      { match: { system: 'erp', objectType: 'vendor', field: 'iban', operation: '*.update' } },
      intent,
      true,
    ],
    [
      'three of four',
      { match: { system: 'erp', objectType: 'vendor', field: 'bic', operation: '*.update' } },
      intent,
      false,
    ],
    ['an absent object type', { match: { objectType: 'vendor' } }, { system: 'erp' }, true],
    [
      'an absent object type of a known system',
      { match: { system: 'erp', objectType: 'vendor' } },
      { system: 'erp' },
      true,
    ],
    ['an absent field', { match: { field: 'iban' } }, { system: 'erp', objectType: 'vendor' }, true],
    ['an absent operation', { match: { operation: 'x' } }, { system: 'erp' }, true],
    [
      'an absent object type, which is never skipped',
      { match: { objectType: 'vendor', field: 'iban' }, absent: 'skip' },
      { system: 'erp', field: 'iban' },
      true,
    ],
    [
      'an operation alone, skipped',
      { match: { field: 'iban' }, absent: 'skip' },
      { system: 'erp', operation: 'x' },
      false,
    ],
    [
      'a field alone, skipped',
      { match: { operation: 'x' }, absent: 'skip' },
      { system: 'erp', field: 'iban' },
      false,
    ],
    [
      'a field alone for a match on both, which is not skipped',
      { match: { field: 'iban', operation: 'x' }, absent: 'skip' },
      { system: 'erp', field: 'iban' },
      true,
    ],
    [
      'neither of the two, not skipped',
      { match: { field: 'iban' }, absent: 'skip' },
      { system: 'erp' },
      true,
    ],
    [
      'an absent member nobody matches on',
      { match: { system: 'erp' }, absent: 'skip' },
      { system: 'erp' },
      true,
    ],
    ['a member that is there', { match: { field: 'iban' }, absent: 'skip' }, intent, true],
  ])('%s', (_name, more, asked, expected) => {
    expect(idsFor(asked, more)).toEqual(expected ? ['p0'] : []);
  });

  test('is in order of id by code units, from whichever list a profile comes', () => {
    const found = idsFor(
      intent,
      { id: 'b', match: { system: 'erp', objectType: 'vendor' } },
      { id: 'a' },
      { id: 'Z', match: { system: 'e*' } },
      { id: 'c', match: { objectType: 'vendor' } },
      { id: 'ä', match: { system: 'erp' } },
      { id: 'x', match: { system: 'crm' } },
    );
    expect(found).toEqual(['Z', 'a', 'b', 'c', 'ä']);
  });

  test('returns a profile once if it lists the same system twice', () => {
    expect(idsFor(intent, { match: { system: ['erp', 'ERP'], objectType: ['vendor', 'VENDOR'] } })).toEqual([
      'p0',
    ]);
  });

  test('agrees with evaluating every profile in turn', () => {
    const random = seeded(11);
    const NAMES = ['a', 'b', 'C', 'ab'];
    const pattern = (): Pattern | undefined =>
      random.pick<() => Pattern | undefined>([
        () => undefined,
        () => random.pick(NAMES),
        () => [random.pick(NAMES), random.pick(NAMES)],
        () => random.pick(['a*', '*b', '*']),
        () => [random.pick(NAMES), 'a*'],
      ])();
    for (let round = 0; round < 300; round += 1) {
      const documents = Array.from({ length: 12 }, (_, index) => randomProfile(`p${index}`, random, pattern));
      const { matchingProfiles } = snapshotOf(documents);
      for (let asked = 0; asked < 20; asked += 1) {
        const intent = {
          system: random.pick(NAMES),
          ...some('objectType'),
          ...some('field'),
          ...some('operation'),
        };
        const expected = documents
          .filter((document) => acceptsNaively(document, intent))
          .map((one) => one.id);
        expect(matchingProfiles(intent).map((one) => one.id)).toEqual(expected.sort());
      }
    }
    function some(member: string): object {
      return random.below(3) === 0 ? {} : { [member]: random.pick(NAMES) };
    }
  });
});

function randomProfile(id: string, random: Random, pattern: () => Pattern | undefined): ProfileDocument {
  const match: Record<string, Pattern> = {};
  for (const member of MATCH_MEMBERS) {
    const chosen = pattern();
    if (chosen !== undefined) match[member] = chosen;
  }
  return { kind: 'Profile', id, match, ...(random.below(3) === 0 && { absent: 'skip' }) };
}

function acceptsNaively(document: ProfileDocument, intent: WriteIntent): boolean {
  return MATCH_MEMBERS.every((member) => {
    const pattern = document.match?.[member];
    if (pattern === undefined) return true;
    const text = intent[member];
    if (text !== undefined) return compilePattern(pattern)(asciiLower(text));
    if (document.absent !== 'skip' || (member !== 'field' && member !== 'operation')) return true;
    const other = member === 'field' ? 'operation' : 'field';
    return document.match?.[other] !== undefined || intent[other] === undefined;
  });
}

describe('speed', () => {
  test('profiles of other systems and object types cost nothing', () => {
    const one = profile({ id: 'hit', match: { system: 'erp', objectType: 'vendor', field: 'iban' } });
    const others = Array.from({ length: 999 }, (_, index) =>
      profile({ id: `p${index}`, match: { system: `s${index % 40}`, objectType: `t${index}`, field: 'f*' } }),
    );
    const intent: WriteIntent = { system: 'erp', objectType: 'vendor', field: 'iban' };
    const alone = snapshotOf([one]).matchingProfiles;
    const among = snapshotOf([one, ...others]).matchingProfiles;
    expect(among(intent)).toEqual(alone(intent));
    const cost = (find: typeof alone) =>
      medianCostMs(() => {
        for (let round = 0; round < 40_000; round += 1) find(intent);
      }, 1);
    cost(alone);
    cost(among);
    const ratios = Array.from({ length: 9 }, () => {
      const base = cost(alone);
      return cost(among) / base;
    }).sort((a, b) => a - b);
    // Measured 1.0; the margin is for noise.
    expect(ratios[4]).toBeLessThan(1.5);
  });

  test('the largest allowed number of hostile globs stays below 5 ms', () => {
    const glob = (index: number) => `*${'a'.repeat(40)}b*${'a'.repeat(30)}${index}*`;
    const profiles = Array.from({ length: 2 }, (_, index) =>
      profile({ id: `p${index}`, match: { field: Array.from({ length: 1_000 }, (_, at) => glob(at)) } }),
    );
    const { matchingProfiles } = snapshotOf(profiles);
    const intent: WriteIntent = { system: 's', field: 'a'.repeat(256) };
    const cost = medianCostMs(() => expect(matchingProfiles(intent)).toEqual([]), 9);
    expect(cost).toBeLessThan(15);
  });
});

test('long lists of systems and of object types do not multiply', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `n${at}`);
  const startedMs = processorMs();
  const index = new ProfileIndex();
  for (let at = 0; at < 20; at += 1) {
    const profile = { id: `p${at}` } as Profile;
    for (const _step of index.add({
      profile,
      match: { system: names, objectType: names },
      absentSkips: false,
    }));
  }
  const { find } = index;
  expect(find({ system: 'N7', objectType: 'n999' })).toHaveLength(20);
  expect(find({ system: 'n7', objectType: 'other' })).toHaveLength(0);
  expect(find({ system: 'n7' })).toHaveLength(20);
  // The product would be 20 million places, which would take seconds and gigabytes.
  expect(processorMs() - startedMs).toBeLessThan(2_000);
});
