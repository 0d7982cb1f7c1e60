import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { processorMs } from '../../../../scripts/processor-ms.ts';
import { compile } from '../policy/compile.ts';
import type { Match, PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { findCrowds } from './find-crowds.ts';
import { lintBundle } from './lint-bundle.ts';

/** `count` profiles, each with its own match. */
function profiles(count: number, matchOf: (at: number) => Match, more: Partial<ProfileDocument> = {}) {
  return Array.from({ length: count }, (_, at): ProfileDocument => {
    return {
      kind: 'Profile',
      id: `${JSON.stringify(matchOf(0))}-${at}`,
      match: matchOf(at),
      require: ['k'],
      ...more,
    };
  });
}
const crowds = (...documents: readonly PolicyDocument[]) =>
  findCrowds(documents).map(({ of, count, where }) => `${count} ${of} in ${where}`);

describe('more than 100 rules that may apply to one write', () => {
  test('are counted by system', () => {
    const of = (system: string) => profiles(60, (at) => ({ system, objectType: `t${at}` }));
    expect(crowds(...of('erp'), ...of('crm'))).toEqual([]);
    expect(crowds(...of('erp'), ...of('crm'), ...profiles(41, (at) => ({ objectType: `t${at}` })))).toEqual([
      '101 rules in `erp`',
    ]);
    expect(crowds(...of('erp'), ...of('ERP'))).toEqual(['120 rules in `erp`']);
    expect(crowds(...profiles(101, () => ({ system: ['a', 'b'] })))).toEqual(['101 rules in `a`']);
    expect(crowds(...of('erp'), ...profiles(50, () => ({ system: 'e*' })))).toEqual(['110 rules in `erp`']);
  });

  test('are counted for globs that could share a name, and for systems that no profile names', () => {
    expect(crowds(...profiles(101, (at) => ({ system: `crm-${at}-*` })))).toEqual([]);
    expect(
      crowds(...profiles(60, () => ({ system: 'c*' })), ...profiles(60, () => ({ system: '*m' }))),
    ).toEqual(['120 rules in `c*`']);
    expect(crowds(...profiles(101, (at) => ({ objectType: `t${at}` })))).toEqual([
      '101 rules in any other system',
    ]);
  });

  test('are not found where each has its own operation, or its own field beside an object type', () => {
    const byOperation = (more: Partial<ProfileDocument>) =>
      profiles(500, (at) => ({ system: 'erp', operation: `o${at}` }), more);
    expect(crowds(...byOperation({ absent: 'skip' }))).toEqual([]);
    const byField = (more: Partial<ProfileDocument>) =>
      profiles(500, (at) => ({ system: 'erp', objectType: 'vendor', field: `f${at}` }), more);
    expect(crowds(...byField({ absent: 'skip' }))).toEqual([]);
    // An operation that sends no field meets all of them, and so does a field without an operation.
    expect(crowds(...byField({}))).toEqual(['500 rules in `erp`']);
    expect(crowds(...byOperation({}))).toEqual(['500 rules in `erp`']);
  });

  test('include a workflow and the profiles that it names', () => {
    const named = profiles(50, (at) => ({ system: `other-${at}` }));
    const workflow = { kind: 'Workflow', id: 'w', profiles: named.map(({ id }) => id) } as const;
    const own = profiles(50, () => ({ system: 'erp' }));
    expect(crowds(...own, ...named)).toEqual([]);
    expect(crowds(...own, ...named, workflow)).toEqual(['101 rules in `erp`']);
  });
});

test('more than 500 requirements that may apply to one write are found, wherever they come from', () => {
  const controls = Array.from({ length: 50 }, (_, at) => `c${at}`);
  const ten = (system: (at: number) => string) =>
    profiles(10, (at) => ({ system: system(at) }), { require: controls });
  const workflow: PolicyDocument = { kind: 'Workflow', id: 'w', require: ['more'] };
  expect(crowds(...ten(() => 'erp'))).toEqual([]);
  expect(crowds(...ten((at) => `s${at}`), workflow)).toEqual([]);
  expect(crowds(...ten(() => 'erp'), workflow)).toEqual(['501 requirements in `erp`']);
});

test('the linter names the system, the count and the way out, once', () => {
  const documents = profiles(150, (at) => ({ system: 'erp', objectType: `t${at}` }));
  const told = lintBundle(documents).filter(({ message }) => message.includes('policy_error'));
  expect(told.map(({ document, message }) => [document.kind, message])).toEqual([
    [
      'Profile',
      '150 profiles and workflows may apply to one write in `erp`, because what a write omits counts as matching; more than 100 pause it with `policy_error`: match them on a narrower `system` or `operation`, or merge those that require the same',
    ],
  ]);
});

test('no bundle takes long', () => {
  const names = Array.from({ length: 60 }, (_, at) => `s${at}`);
  const wide = profiles(900, (at) => ({ system: [`*-${at}`, ...names.map((name) => `${name}-${at}`)] }));
  const beganMs = processorMs();
  expect(crowds(...wide, ...profiles(900, (at) => ({ operation: `o${at}` })))).toHaveLength(2);
  expect(processorMs() - beganMs).toBeLessThan(2_000);
});

const NAMES = ['a', 'ab', 'b', 'ba', 'c'];
const PATTERNS = [...NAMES, 'a*', '*a', '*b*', ['a', 'c*'], ['b', 'ab']] as const;
const anyMatch = fc.record(
  Object.fromEntries(
    ['system', 'objectType', 'field', 'operation'].map((member) => [member, fc.constantFrom(...PATTERNS)]),
  ),
  { requiredKeys: [] },
);
const anyProfile = fc.record({
  match: anyMatch,
  copies: fc.integer({ min: 1, max: 60 }),
  skips: fc.boolean(),
});

test('no intent has more rules than the largest crowd', () => {
  fc.assert(
    fc.property(fc.array(anyProfile, { minLength: 2, maxLength: 6 }), (drawn) => {
      const documents = drawn.flatMap(({ match, copies, skips }, draw) =>
        profiles(copies, () => match, skips ? { absent: 'skip' } : {}).map((one, at) => ({
          ...one,
          id: `${draw}-${at}`,
        })),
      );
      const compiled = compile(documents);
      if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
      let most = 0;
      const values = [undefined, ...NAMES, 'xax'];
      for (const system of [...NAMES, 'xax'])
        for (const objectType of values)
          for (const field of values)
            for (const operation of values) {
              if (operation === undefined && (field === undefined || objectType === undefined)) continue;
              const intent = { system, objectType, field, operation } as WriteIntent;
              most = Math.max(most, compiled.snapshot.matchingProfiles(intent).length);
            }
      expect(Math.max(100, ...findCrowds(documents).map(({ count }) => count))).toBeGreaterThanOrEqual(most);
    }),
    { numRuns: 40 },
  );
});
