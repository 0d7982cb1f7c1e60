import { type AttestationChecks, NO_ATTESTATION } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import {
  control,
  intentOf,
  item,
  NOW_MS,
  type Parts,
  profile,
  required,
  type Sent,
  snapshot,
  verified,
} from '../test/plain-snapshot.ts';
import { asksForValues, evaluateAuthority } from './evaluate-authority.ts';
import { resolveRequirements } from './resolve-requirements.ts';

const FOUND: Sent = {
  agentValue: 'a',
  authorityValue: 'a',
  authoritySource: 'master',
  authorityFound: true,
};
const BLOCK = { writePolicy: 'block_on_mismatch', observeUntilMs: null } as const;

function evaluate(sent: Sent, parts: Parts = {}, facts?: readonly AttestationChecks[]) {
  const intent = intentOf(sent);
  const items = intent.controlEvidence ?? [];
  return evaluateAuthority(intent, resolveRequirements(intent, snapshot(parts), NOW_MS).enforced, {
    items,
    facts: facts ?? items.map(() => NO_ATTESTATION),
    nowMs: NOW_MS,
  });
}

function kinds(intent: Sent, parts: Parts = {}, facts?: readonly AttestationChecks[]) {
  return evaluate(intent, parts, facts).problems.map(({ kind }) => kind);
}

describe('the gate', () => {
  test('is not evaluated if controls are required and no authority is named', () => {
    expect(evaluate({ requiredControls: ['c'], agentValue: 'a' })).toEqual({
      applies: false,
      problems: [],
      acceptedSources: null,
      attestedBy: [],
      confirmation: null,
      warnings: [],
    });
  });

  test.each([
    ['nothing is required', {}, {}],
    [
      'a profile asks',
      { requiredControls: ['c'] },
      { profiles: [profile('p', { authorityRequired: true })] },
    ],
    ['authorityFound is sent', { requiredControls: ['c'], authorityFound: false }, {}],
    ['authorityValue is sent', { requiredControls: ['c'], authorityValue: '' }, {}],
    ['authoritySource is sent', { requiredControls: ['c'], authoritySource: 'x' }, {}],
  ])('is evaluated if %s', (_, intent, parts) => {
    const outcome = evaluate(intent, parts);
    expect(outcome.applies).toBe(true);
    expect(outcome.problems[0]).toEqual({
      kind: 'not_found',
      stated: 'authorityFound' in intent,
    });
  });

  test('finds no problem with an authority that was found and agrees', () => {
    expect(evaluate(FOUND)).toEqual({
      applies: true,
      problems: [],
      acceptedSources: null,
      attestedBy: [],
      confirmation: null,
      warnings: [],
    });
  });
});

test.each([
  ['nothing', {}, false],
  ['required', { authorityRequired: true }, true],
  ['a match on the field', { asksByField: true }, true],
  ['a comparator', { compare: 'trimmed' as const }, true],
  ['block_on_mismatch', { mode: BLOCK }, true],
  ['enforce', {}, false],
])('a profile with %s requires the values: %s', (_, more, asks) => {
  expect(asksForValues(profile('p', more), NOW_MS)).toBe(asks);
});

describe('values', () => {
  const asking = { profiles: [profile('p', { authorityRequired: true, require: required('c') })] };

  test('that are missing are a problem if they are required, or if nothing else is required', () => {
    const { agentValue: _, ...noAgent } = FOUND;
    const { authorityValue: __, ...noAuthority } = FOUND;
    const { authorityValue: ___, ...neither } = noAgent;
    for (const parts of [asking, {}]) {
      expect(evaluate(noAgent, parts).problems).toEqual([{ kind: 'value_missing', member: 'agentValue' }]);
      expect(evaluate(noAuthority, parts).problems).toEqual([
        { kind: 'value_missing', member: 'authorityValue' },
      ]);
      expect(evaluate(neither, parts).problems).toEqual([
        { kind: 'value_missing', member: 'agentValue' },
        { kind: 'value_missing', member: 'authorityValue' },
      ]);
    }
  });

  test('that are missing beside controls are only reported', () => {
    const { authorityValue: _, ...intent } = FOUND;
    const outcome = evaluate({ ...intent, requiredControls: ['c'] });
    expect(outcome.problems).toEqual([]);
    expect(outcome.warnings).toEqual(['no `authorityValue` was sent, so the values were not compared']);
  });

  test('that differ are a problem, unless every comparator treats them as equal', () => {
    const intent = { ...FOUND, agentValue: 'A ' };
    const by = (...compare: readonly ('caseless' | 'trimmed')[]) => ({
      profiles: [profile('x'), ...compare.map((one) => profile(one, { compare: one }))],
    });
    expect(evaluate(intent).problems).toEqual([{ kind: 'mismatch', agentValue: 'A ', authorityValue: 'a' }]);
    expect(kinds(intent, by('caseless'))).toEqual(['mismatch']);
    expect(kinds({ ...FOUND, agentValue: 'A' }, by('caseless'))).toEqual([]);
    expect(kinds({ ...FOUND, agentValue: 'A' }, by('caseless', 'trimmed'))).toEqual(['mismatch']);
  });

  test('that differ are reported first if they block, and last if they only pause', () => {
    const intent = { ...FOUND, agentValue: 'b', authoritySource: 'x' };
    const sources = { authoritySources: ['master'] };
    expect(kinds(intent, { profiles: [profile('p', sources)] })).toEqual(['source_not_accepted', 'mismatch']);
    const blocking = { profiles: [profile('p', { ...sources, mode: BLOCK })] };
    expect(kinds(intent, blocking)).toEqual(['mismatch', 'source_not_accepted']);
    expect(kinds({ ...intent, authorityFound: false }, blocking)).toEqual([
      'not_found',
      'source_not_accepted',
      'mismatch',
    ]);
  });
});

describe('a source', () => {
  const accepting = (...lists: readonly (readonly string[] | null)[]) => ({
    profiles: lists.map((authoritySources, at) => profile(`p${at}`, { authoritySources })),
  });

  test('must be one that every profile accepts', () => {
    expect(kinds(FOUND, accepting(['master', 'x'], null, ['y', 'master']))).toEqual([]);
    expect(evaluate(FOUND, accepting(['master', 'x'], ['x', 'y']))).toMatchObject({
      acceptedSources: ['x'],
      problems: [{ kind: 'source_not_accepted', stated: true, source: 'master', accepted: ['x'] }],
    });
    expect(evaluate(FOUND, accepting(['master'], ['x'])).acceptedSources).toEqual([]);
  });

  test('must be named if only some are accepted', () => {
    const { authoritySource: _, ...intent } = FOUND;
    expect(evaluate(intent, accepting(['master'])).problems).toEqual([
      { kind: 'source_not_accepted', stated: false, source: undefined, accepted: ['master'] },
    ]);
    expect(kinds(intent, accepting(null))).toEqual([]);
  });
});

describe('attestation of the authority', () => {
  const attesting = { profiles: [profile('p', { attestedBy: control('auth') }), profile('q')] };
  const intent = { ...FOUND, controlEvidence: [item('auth', { attestation: 'jws' })] };

  test('holds if the control is satisfied by an attestation bound to the digest', () => {
    const outcome = evaluate(intent, attesting, [verified()]);
    expect(outcome.problems).toEqual([]);
    expect(outcome.attestedBy.map(({ control: { id } }) => id)).toEqual(['auth']);
  });

  test('is a problem otherwise', () => {
    const outcome = evaluate({ ...FOUND, controlEvidence: [item('auth')] }, attesting);
    expect(outcome.problems).toMatchObject([{ kind: 'not_attested', control: { id: 'auth' } }]);
    const object = verified({ boundToDigest: false, boundToObject: true });
    const bindingObject = { profiles: [profile('p', { attestedBy: control('auth', { bindObject: true }) })] };
    expect(kinds(intent, bindingObject, [object])).toEqual(['not_attested']);
  });

  test('evaluates each control once, however many profiles name it', () => {
    const profiles = ['auth', 'auth', 'other'].map((id, at) =>
      profile(`p${at}`, { attestedBy: control(id) }),
    );
    expect(evaluate(FOUND, { profiles }).attestedBy.map(({ control: { id } }) => id)).toEqual([
      'auth',
      'other',
    ]);
  });
});
