import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import {
  control,
  intentOf,
  NOW_MS,
  type Parts,
  profile,
  required,
  type Sent,
  snapshot,
  workflow,
} from '../test/plain-snapshot.ts';
import type { ConditionBudget, Mode } from './policy/snapshot.ts';
import { resolveRequirements } from './resolve-requirements.ts';

const OBSERVE = { writePolicy: 'observe', observeUntilMs: null } as const;
const BLOCK = { writePolicy: 'block_on_mismatch', observeUntilMs: null } as const;
const PROMOTION = { source: 'diagnose', status: 'promoted' };

const resolve = (sent: Sent, parts: Parts) => resolveRequirements(intentOf(sent), snapshot(parts), NOW_MS);
const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe('requirements', () => {
  test('come from the request, then the workflow, then the profiles', () => {
    const { requirements } = resolve(
      { requiredControls: ['r'], workflowId: 'w' },
      {
        workflows: [workflow('w', { require: required('w1') })],
        profiles: [profile('a', { require: required('a1') }), profile('b', { require: required('b1') })],
      },
    );
    expect(requirements.map(({ control: { id }, sources }) => [id, ...sources])).toEqual([
      ['r', 'request'],
      ['w1', 'workflow:w'],
      ['a1', 'profile:a'],
      ['b1', 'profile:b'],
    ]);
  });

  test('asked for twice count once, with every source once and the strictest mode', () => {
    const { requirements } = resolve(
      { requiredControls: ['x', 'x'] },
      {
        profiles: [
          profile('a', { require: required('x', 'y'), mode: BLOCK }),
          profile('b', { require: required('y'), mode: OBSERVE }),
        ],
      },
    );
    expect(requirements).toEqual([
      {
        control: control('x'),
        sources: ['request', 'profile:a'],
        mode: 'block_on_mismatch',
        promotedFrom: null,
      },
      {
        control: control('y'),
        sources: ['profile:a', 'profile:b'],
        mode: 'block_on_mismatch',
        promotedFrom: null,
      },
    ]);
  });

  test('of the request are enforced and take the definition of the workspace', () => {
    const x = control('x', { maxAgeMs: 1_000 });
    const { requirements, writePolicy } = resolve(
      { requiredControls: ['x'] },
      { controls: [x], defaultMode: OBSERVE },
    );
    expect(requirements).toEqual([{ control: x, sources: ['request'], mode: 'enforce', promotedFrom: null }]);
    expect(writePolicy).toBe('enforce');
  });

  test('carry the first promotion there is', () => {
    const promoted = (status: string) => [{ control: control('x'), promotedFrom: { ...PROMOTION, status } }];
    const { requirements } = resolve(
      {},
      {
        profiles: [
          profile('a', { require: required('x') }),
          profile('b', { require: promoted('first') }),
          profile('c', { require: promoted('second') }),
        ],
      },
    );
    expect(requirements[0]!.promotedFrom).toEqual({ ...PROMOTION, status: 'first' });
  });

  test('beyond those that are looked through one by one are still found again', () => {
    const many = Array.from({ length: 40 }, (_, at) => `c${at}`);
    const { requirements } = resolve(
      { requiredControls: many },
      { profiles: [profile('a', { require: required(...many.toReversed(), 'last') })] },
    );
    expect(requirements.map(({ control: { id } }) => id)).toEqual([...many, 'last']);
    for (const { sources, control: one } of requirements) {
      expect(sources).toEqual(one.id === 'last' ? ['profile:a'] : ['request', 'profile:a']);
    }
  });
});

describe('the mode', () => {
  test('is the default one exactly where neither workflow nor profile applies', () => {
    expect(resolve({}, { defaultMode: BLOCK }).writePolicy).toBe('block_on_mismatch');
    const withProfile = resolve({}, { defaultMode: BLOCK, profiles: [profile('a', { mode: OBSERVE })] });
    expect(withProfile.writePolicy).toBe('observe');
    const workflows = [workflow('w', { mode: OBSERVE })];
    expect(resolve({ workflowId: 'w' }, { defaultMode: BLOCK, workflows }).writePolicy).toBe('observe');
  });

  test('is the strictest of what applies', () => {
    const workflows = [workflow('w', { mode: BLOCK })];
    const profiles = [profile('a', { mode: OBSERVE }), profile('b')];
    expect(resolve({ workflowId: 'w' }, { workflows, profiles }).writePolicy).toBe('block_on_mismatch');
    expect(resolve({}, { workflows, profiles }).writePolicy).toBe('enforce');
  });

  test('observes where anything that applies does', () => {
    const observing = [workflow('w', { mode: OBSERVE })];
    expect(resolve({ workflowId: 'w' }, { workflows: observing }).observeMode).toBe(true);
    expect(resolve({ workflowId: 'w' }, { workflows: [workflow('w')] }).observeMode).toBe(false);
    const after = [profile('a', { mode: OBSERVE }), profile('b')];
    expect(resolve({ workflowId: 'w' }, { workflows: [workflow('w')], profiles: after }).observeMode).toBe(
      true,
    );
    expect(resolve({ workflowId: 'w' }, { workflows: observing, profiles: [profile('b')] }).observeMode).toBe(
      true,
    );
    expect(resolve({}, { defaultMode: OBSERVE }).observeMode).toBe(true);
    expect(resolve({ requiredControls: ['x'] }, { defaultMode: OBSERVE }).observeMode).toBe(false);
  });
});

describe('an observation', () => {
  const until = (observeUntilMs: number | null) => ({ writePolicy: 'observe', observeUntilMs }) as const;
  const endOf = (...modes: readonly Mode[]) =>
    resolve({}, { profiles: modes.map((mode, at) => profile(`p${at}`, { mode })) }).observesUntilMs;

  test('ends with the first that does, in whatever order they come', () => {
    expect(endOf(until(NOW_MS + 2), until(NOW_MS + 1), until(NOW_MS + 3))).toBe(NOW_MS + 1);
    expect(endOf(until(null), until(NOW_MS + 2))).toBe(NOW_MS + 2);
    expect(endOf(until(null))).toBe(Number.POSITIVE_INFINITY);
    expect(endOf(BLOCK)).toBe(Number.POSITIVE_INFINITY);
  });

  test('of the workflow and of the default ends as well', () => {
    const workflows = [workflow('w', { mode: until(NOW_MS + 5) })];
    expect(resolve({ workflowId: 'w' }, { workflows }).observesUntilMs).toBe(NOW_MS + 5);
    expect(resolve({}, { defaultMode: until(NOW_MS + 6) }).observesUntilMs).toBe(NOW_MS + 6);
  });

  test('that is over ends nothing any more', () => {
    expect(endOf(until(NOW_MS))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a workflow', () => {
  test('that is registered applies its profiles, whatever their condition says, in order of id', () => {
    const named = profile('m', { when: () => 'skips' });
    const {
      profiles,
      erredProfiles,
      workflow: found,
      unregisteredWorkflowId,
    } = resolve(
      { workflowId: 'w' },
      { workflows: [workflow('w', { profiles: [named] })], profiles: [profile('a'), named, profile('z')] },
    );
    expect(idsOf(profiles)).toEqual(['a', 'm', 'z']);
    expect(erredProfiles).toEqual([]);
    expect(found?.id).toBe('w');
    expect(unregisteredWorkflowId).toBeNull();
  });

  test('that is not registered is named, and none is where none is sent', () => {
    expect(resolve({ workflowId: 'w' }, {})).toMatchObject({ workflow: null, unregisteredWorkflowId: 'w' });
    expect(resolve({}, {})).toMatchObject({ workflow: null, unregisteredWorkflowId: null });
  });
});

describe('a condition', () => {
  test('takes a profile away, leaves it, or fails and leaves it', () => {
    const profiles = [
      profile('a', { when: () => 'skips' }),
      profile('b', { when: () => 'applies' }),
      profile('c', { when: () => 'error' }),
      profile('d'),
    ];
    const resolution = resolve({}, { profiles });
    expect(idsOf(resolution.profiles)).toEqual(['b', 'c', 'd']);
    expect(idsOf(resolution.erredProfiles)).toEqual(['c']);
    expect(resolution.errorMode).toBe('enforce');
  });

  test('that fails counts in the strictest mode of those that fail, and of no other profile', () => {
    const erring = (id: string, mode: typeof OBSERVE | typeof BLOCK) =>
      profile(id, { mode, when: () => 'error' });
    expect(resolve({}, { profiles: [erring('a', OBSERVE), profile('b')] }).errorMode).toBe('observe');
    expect(resolve({}, { profiles: [erring('a', BLOCK), erring('b', OBSERVE)] }).errorMode).toBe(
      'block_on_mismatch',
    );
  });

  test('is asked with the intent, the time and the one budget of the decision', () => {
    const asked: [WriteIntent, number, ConditionBudget | undefined][] = [];
    const when = (intent: WriteIntent, nowMs: number, budget?: ConditionBudget) => {
      asked.push([intent, nowMs, budget]);
      return 'applies' as const;
    };
    const intent = { system: 'erp' };
    resolve(intent, { profiles: [profile('a', { when }), profile('b', { when })] });
    expect(asked).toHaveLength(2);
    for (const [sent, nowMs] of asked) expect([sent, nowMs]).toEqual([intent, NOW_MS]);
    expect(asked[0]![2]).toBeDefined();
    expect(asked[0]![2]).toBe(asked[1]![2]);
  });
});
