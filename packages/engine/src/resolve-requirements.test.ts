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
import { CONDITION_BUDGET } from './conditions/budget.ts';
import type { ConditionBudget } from './conditions/compiled-condition.ts';
import type { Mode, Profile } from './policy/snapshot.ts';
import { resolveRequirements } from './resolve-requirements.ts';

const OBSERVE = { writePolicy: 'observe', observeUntilMs: null } as const;
const BLOCK = { writePolicy: 'block_on_mismatch', observeUntilMs: null } as const;
const PROMOTION = { source: 'diagnose', status: 'promoted' };

function resolve(sent: Sent, parts: Parts) {
  return resolveRequirements(intentOf(sent), snapshot(parts), NOW_MS);
}
function idsOf(list: readonly { readonly id: string }[]) {
  return list.map(({ id }) => id);
}

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

  test('that occur twice count once, with every source once', () => {
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
        promotedFrom: null,
      },
      {
        control: control('y'),
        sources: ['profile:a', 'profile:b'],
        promotedFrom: null,
      },
    ]);
  });

  test('of the request are enforced and take the definition of the workspace', () => {
    const x = control('x', { maxAgeMs: 1_000 });
    const { requirements, enforced } = resolve(
      { requiredControls: ['x'] },
      { controls: [x], defaultMode: OBSERVE },
    );
    expect(requirements).toEqual([{ control: x, sources: ['request'], promotedFrom: null }]);
    expect(enforced.requirements).toBe(requirements);
    expect(enforced.writePolicy).toBe('enforce');
  });

  test('keep the first promotion', () => {
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

  test('beyond the linear search are still found again', () => {
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
  const modes = (sent: Sent, parts: Parts) => {
    const { enforced, evaluated } = resolve(sent, parts);
    return [enforced.writePolicy, evaluated.writePolicy];
  };

  test('is the default one if no enforcing workflow or profile applies, and at least that if none covers', () => {
    expect(modes({}, { defaultMode: BLOCK })).toEqual(['block_on_mismatch', 'block_on_mismatch']);
    const watching = { defaultMode: BLOCK, profiles: [profile('a', { mode: OBSERVE })] };
    expect(modes({}, watching)).toEqual(['block_on_mismatch', 'enforce']);
    const workflows = [workflow('w', { mode: OBSERVE })];
    const blocking = ['block_on_mismatch', 'block_on_mismatch'];
    expect(modes({ workflowId: 'w' }, { defaultMode: BLOCK, workflows })).toEqual(blocking);
    const partial = [profile('a', { matchesOnField: true })];
    expect(modes({}, { defaultMode: BLOCK, profiles: partial })).toEqual(blocking);
    expect(modes({}, { defaultMode: BLOCK, profiles: [profile('a', { permit: true })] })).toEqual(blocking);
    expect(modes({}, { defaultMode: BLOCK, profiles: [profile('a')] })).toEqual(['enforce', 'enforce']);
  });

  test('is at least enforce if the request names controls', () => {
    expect(modes({ requiredControls: ['x'] }, { defaultMode: OBSERVE })).toEqual(['enforce', 'enforce']);
    expect(modes({}, { defaultMode: OBSERVE })).toEqual(['observe', 'enforce']);
  });

  test('is the strictest of what applies', () => {
    const workflows = [workflow('w', { mode: BLOCK })];
    const profiles = [profile('a', { mode: OBSERVE }), profile('b')];
    expect(modes({ workflowId: 'w' }, { workflows, profiles })[0]).toBe('block_on_mismatch');
    expect(modes({}, { workflows, profiles })[0]).toBe('enforce');
  });

  test('observes if anything that applies does', () => {
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
    const unmatched = { defaultMode: OBSERVE, unmatchedPauses: () => true };
    expect(resolve({ requiredControls: ['x'] }, unmatched).observeMode).toBe(true);
    expect(resolve({}, { defaultMode: OBSERVE, profiles: [profile('b')] }).observeMode).toBe(false);
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

  test('that is over ends nothing', () => {
    expect(endOf(until(NOW_MS))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('an observing rule', () => {
  const observed = profile('m', { mode: OBSERVE, require: required('watched') });

  test('is in one reading and not in the other, each with its own order of controls', () => {
    const profiles = [
      profile('a', { mode: OBSERVE, require: required('y') }),
      profile('b', { require: required('x', 'y') }),
    ];
    const { enforced, evaluated, requirements } = resolve({}, { profiles });
    const ids = (list: typeof requirements) => list.map(({ control: { id } }) => id);
    expect(ids(enforced.requirements)).toEqual(['x', 'y']);
    expect(ids(evaluated.requirements)).toEqual(['y', 'x']);
    expect(evaluated.requirements).toBe(requirements);
  });

  test('covers nothing, whether a profile or a workflow', () => {
    const workflows = [workflow('w', { mode: OBSERVE, profiles: [profile('p')] })];
    const { enforced, evaluated, workflow: found } = resolve({ workflowId: 'w' }, { workflows });
    expect([enforced.modeOfSources, evaluated.modeOfSources]).toEqual([null, 'enforce']);
    expect(found?.id).toBe('w');
    expect(idsOf(evaluated.profiles)).toEqual(['p']);
    const one = resolve({}, { profiles: [observed] });
    expect([one.enforced.cover.isCovered, one.evaluated.cover.isCovered]).toEqual([false, true]);
  });

  test('is left out even if an enforcing workflow names it', () => {
    const workflows = [workflow('w', { profiles: [observed, profile('n')] })];
    const { enforced, evaluated } = resolve({ workflowId: 'w' }, { workflows });
    expect(idsOf(enforced.profiles)).toEqual(['n']);
    expect(idsOf(evaluated.profiles)).toEqual(['m', 'n']);
  });
});

describe('a workflow', () => {
  test('that is registered applies its profiles in order of id, whatever their condition', () => {
    const named = profile('m', { when: () => 'skips' });
    const {
      profiles,
      enforced,
      workflow: found,
      unregisteredWorkflowId,
    } = resolve(
      { workflowId: 'w' },
      { workflows: [workflow('w', { profiles: [named] })], profiles: [profile('a'), named, profile('z')] },
    );
    expect(idsOf(profiles)).toEqual(['a', 'm', 'z']);
    expect(enforced.erredProfiles).toEqual([]);
    expect(found?.id).toBe('w');
    expect(unregisteredWorkflowId).toBeNull();
  });

  test('that is not registered is named, and none is if none is sent', () => {
    expect(resolve({ workflowId: 'w' }, {})).toMatchObject({ workflow: null, unregisteredWorkflowId: 'w' });
    expect(resolve({}, {})).toMatchObject({ workflow: null, unregisteredWorkflowId: null });
  });
});

describe('a condition', () => {
  test('removes a profile, keeps it, or fails and keeps it', () => {
    const profiles = [
      profile('a', { when: () => 'skips' }),
      profile('b', { when: () => 'applies' }),
      profile('c', { when: () => 'error' }),
      profile('d'),
    ];
    const resolution = resolve({}, { profiles });
    expect(idsOf(resolution.profiles)).toEqual(['b', 'c', 'd']);
    expect(idsOf(resolution.enforced.erredProfiles)).toEqual(['c']);
    expect(resolution.evaluated).toBe(resolution.enforced);
  });

  test('of an observing profile errs only in the reading in which everything enforces', () => {
    const erring = profile('a', { mode: OBSERVE, when: () => 'error' });
    const { enforced, evaluated } = resolve({}, { profiles: [erring, profile('b')] });
    expect(idsOf(enforced.erredProfiles)).toEqual([]);
    expect(idsOf(evaluated.erredProfiles)).toEqual(['a']);
  });

  test('of an observing profile does not use the budget of deciding ones', () => {
    const spends = (id: string, more: Partial<Profile> = {}) =>
      profile(id, {
        ...more,
        when: (_intent, _now, budget) => {
          budget!.left -= 60_000;
          return budget!.left < 0 ? 'error' : 'skips';
        },
      });
    const greedy = Array.from({ length: 40 }, (_, at) => spends(`a${at}`, { mode: OBSERVE }));
    const { enforced, evaluated } = resolve({}, { profiles: [...greedy, spends('z')] });
    expect(idsOf(enforced.profiles)).toEqual([]);
    expect(idsOf(evaluated.erredProfiles)).toContain('z');
  });

  test('that errs only in the deciding reading still affects what applies', () => {
    const when = (cost: number) => (_intent: WriteIntent, _now: number, budget?: ConditionBudget) => {
      budget!.left -= cost;
      return budget!.left < 0 ? ('error' as const) : ('skips' as const);
    };
    // An observed condition that restores the budget of others is in only one of the two readings.
    const generous = profile('a', { mode: OBSERVE, when: when(-CONDITION_BUDGET) });
    const greedy = profile('b', { when: when(CONDITION_BUDGET) });
    const last = profile('z', { when: when(1), require: required('late') });
    const { profiles, requirements, enforced, evaluated } = resolve(
      {},
      { profiles: [generous, greedy, last] },
    );
    expect(idsOf(evaluated.profiles)).toEqual([]);
    expect(idsOf(enforced.erredProfiles)).toEqual(['z']);
    expect(idsOf(profiles)).toEqual(['z']);
    expect(requirements.map(({ control: { id } }) => id)).toEqual(['late']);
  });

  test('that fails is not excused by a workflow that names its profile', () => {
    const erring = profile('a', { when: () => 'error' });
    const workflows = [workflow('w', { profiles: [erring] })];
    const { enforced } = resolve({ workflowId: 'w' }, { workflows, profiles: [erring] });
    expect(idsOf(enforced.erredProfiles)).toEqual(['a']);
    expect(idsOf(resolve({ workflowId: 'w' }, { workflows }).enforced.erredProfiles)).toEqual([]);
  });

  test('gets the intent, the time and the one budget of the decision', () => {
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
