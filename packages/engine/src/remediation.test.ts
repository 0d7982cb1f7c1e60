import {
  type AttestationChecks,
  type EvidenceItem,
  MINUTE_MS,
  NO_ATTESTATION,
  type Remediation,
} from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { P256_JWK } from '../test/keys.ts';
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
  workflow,
} from '../test/plain-snapshot.ts';
import { decide } from './decide.ts';
import type { Control } from './policy/snapshot.ts';

const FOUND = {
  agentValue: 'a',
  authorityValue: 'a',
  authoritySource: 'master',
  authorityFound: true,
} as const;

function remedies(
  intent: Sent,
  parts: Parts = {},
  facts?: readonly AttestationChecks[],
): readonly Remediation[] | undefined {
  const known = facts ?? (intent.controlEvidence ?? []).map(() => NO_ATTESTATION);
  return decide(intentOf(intent), known, snapshot(parts), NOW_MS).remediation;
}

test('an allow has no remediation', () => {
  const decided = decide(intentOf(FOUND), [], snapshot({}), NOW_MS);
  expect(decided.decision).toBe('allow');
  expect(decided.remediation).toBeUndefined();
});

test('a write that is only observed also has remediation', () => {
  const defaultMode = { writePolicy: 'observe', observeUntilMs: null } as const;
  expect(remedies({}, { defaultMode })).toHaveLength(1);
});

describe('an operator must fix', () => {
  test('a failed condition', () => {
    const profiles = [profile('p', { when: () => 'error' }), profile('q', { when: () => 'error' })];
    expect(remedies(FOUND, { profiles })).toEqual([
      {
        gate: 'policy',
        action: 'operator',
        need: 'The condition of profile `p`, `q` could not be evaluated for this intent, so the write pauses; an operator must fix the condition.',
      },
    ]);
  });

  test('policies that do not cover the intent', () => {
    expect(remedies(FOUND, { unmatchedPauses: () => true })).toEqual([
      {
        gate: 'policy',
        action: 'operator',
        need: 'No enforced profile covers this intent, and the workspace pauses what its profiles do not cover; an operator can add a profile for it.',
      },
    ]);
  });
});

test('a workflow that is not registered is corrected', () => {
  expect(remedies({ ...FOUND, workflowId: 'w9' }, { workflows: [workflow('w')] })).toEqual([
    {
      gate: 'workflow',
      action: 'correct',
      need: 'Workflow `w9` is not registered in this workspace; name a registered workflow, or have an operator register this one.',
    },
  ]);
});

describe('the authority', () => {
  const NOT_FOUND =
    'look the value up in its authoritative source and send `authorityFound: true` with what it holds';
  const AGENT = 'send the `agentValue` that is to be written';
  const AUTHORITY = 'send the `authorityValue` that the source holds, equal to the proposed one';

  test('that was not named is supplied in one entry', () => {
    expect(remedies({})).toEqual([
      { gate: 'authority', action: 'supply', need: [NOT_FOUND, AGENT, AUTHORITY].join('; ') },
    ]);
  });

  test('that was reported as not found is corrected', () => {
    expect(remedies({ ...FOUND, authorityFound: false })).toEqual([
      { gate: 'authority', action: 'correct', need: NOT_FOUND },
    ]);
  });

  test('that holds another value is corrected', () => {
    expect(remedies({ ...FOUND, agentValue: 'b' })).toEqual([
      {
        gate: 'authority',
        action: 'correct',
        need: "propose the authority's value, or have the authority corrected first",
      },
    ]);
  });

  test('from a source that is not accepted is corrected, from none it is supplied', () => {
    const profiles = [profile('p', { authoritySources: ['x', 'y'] })];
    const entry = {
      gate: 'authority',
      need: 'send the `authoritySource` the value was read from, which must be an accepted one',
      acceptedSources: ['x', 'y'],
    };
    expect(remedies(FOUND, { profiles })).toEqual([{ ...entry, action: 'correct' }]);
    const { authoritySource: _, ...unnamed } = FOUND;
    expect(remedies(unnamed, { profiles })).toEqual([{ ...entry, action: 'supply' }]);
  });

  test('without a source in common needs an operator', () => {
    const profiles = [profile('p', { authoritySources: ['x'] }), profile('q', { authoritySources: ['y'] })];
    expect(remedies(FOUND, { profiles })).toEqual([
      {
        gate: 'authority',
        action: 'operator',
        need: 'the profiles that apply accept no common authority source; an operator must fix them',
        acceptedSources: [],
      },
    ]);
  });

  test('promises nothing if a condition reads it', () => {
    const reading = profile('p', { conditionReadsValues: true, when: () => 'applies' });
    expect(remedies({}, { profiles: [reading] })).toMatchObject([{ action: 'correct' }]);
    expect(remedies({}, { profiles: [profile('q')] })).toMatchObject([{ action: 'supply' }]);
    expect(remedies({}, { profiles: [reading, profile('q')] })).toMatchObject([{ action: 'correct' }]);
  });

  test('that must be attested again is listed at its own gate', () => {
    const profiles = [
      profile('p', { attestedBy: control('auth', { sources: ['okta'], maxAgeMs: MINUTE_MS }) }),
    ];
    const evidenceSources = [{ id: 'okta', keys: [P256_JWK] }];
    expect(remedies(FOUND, { profiles, evidenceSources })).toEqual([
      {
        gate: 'authority',
        controlId: 'auth',
        action: 'supply',
        need: 'an attested PASS from `okta` checked within the last 1 minute',
        acceptedSources: ['okta'],
        maxAgeSeconds: 60,
        assurance: 'attested',
      },
    ]);
  });
});

describe('a control', () => {
  const mended = (more: Partial<Control>, items: readonly EvidenceItem[], parts: Parts = {}) =>
    remedies(
      { requiredControls: ['c'], controlEvidence: items },
      { controls: [control('c', more)], ...parts },
    );

  test('that is missing is supplied, with all its requirements', () => {
    expect(mended({}, [])).toEqual([{ gate: 'control', controlId: 'c', action: 'supply', need: 'a PASS' }]);
    expect(mended({ sources: ['a', 'b'], maxAgeMs: 90_000 }, [])).toEqual([
      {
        gate: 'control',
        controlId: 'c',
        action: 'supply',
        need: 'a PASS from one of `a`, `b` checked within the last 90 seconds',
        acceptedSources: ['a', 'b'],
        maxAgeSeconds: 90,
      },
    ]);
  });

  test.each([
    ['stale', { maxAgeMs: 1 }, item('c'), 'supply'],
    ['expired', {}, item('c', { expiresAt: '2026-11-15T11:59:30Z' }), 'supply'],
    ['untrusted', { sources: ['x'] }, item('c'), 'supply'],
    ['failed', {}, item('c', { result: 'FAIL' }), 'withdraw'],
    ['revoked', {}, item('c', { result: 'REVOKED' }), 'withdraw'],
    ['unrecognized', {}, item('c', { result: 'ok' }), 'correct'],
  ])('that is %s is fixed', (_, more, evidence, action) => {
    expect(mended(more, [evidence])).toMatchObject([{ gate: 'control', controlId: 'c', action }]);
  });

  test('that failed is described in full', () => {
    expect(mended({}, [item('c', { result: 'FAIL' })])![0]!.need).toBe(
      'Control `c` failed: `okta` reports FAIL; resolve what the check found before asking again.',
    );
    expect(mended({}, [item('c', { result: 'ok' })])![0]!.need).toMatch(
      /^Control `c` has a result that is none/,
    );
  });

  test('that nobody can attest needs an operator', () => {
    const entry = {
      gate: 'control',
      controlId: 'c',
      action: 'operator',
      need: 'register an evidence source with keys that may attest control `c`',
      assurance: 'attested',
    };
    const attested = { assurance: 'attested' } as const;
    expect(mended(attested, [])).toEqual([entry]);
    expect(mended(attested, [], { evidenceSources: [{ id: 'okta', keys: [] }] })).toEqual([entry]);
    const okta = { id: 'okta', keys: [P256_JWK] };
    expect(mended({ ...attested, sources: ['sap'] }, [], { evidenceSources: [okta] })).toMatchObject([
      { action: 'operator' },
    ]);
    expect(mended({ ...attested, sources: ['nobody'] }, [], { evidenceSources: [okta] })).toMatchObject([
      { action: 'operator', need: 'nobody can satisfy control `c`: the policy forbids this write' },
    ]);
    expect(mended(attested, [], { evidenceSources: [{ id: 'sap', keys: [] }, okta] })).toMatchObject([
      { action: 'supply', need: 'an attested PASS' },
    ]);
    expect(mended({ ...attested, sources: ['sap', 'okta'] }, [], { evidenceSources: [okta] })).toMatchObject([
      { action: 'supply' },
    ]);
  });
});

describe('evidence attested for the intent as it is', () => {
  const attested = control('c', { assurance: 'attested', useOnce: true });
  const evidence = [item('c', { attestation: 'jws' })];
  const evidenceSources = [{ id: 'okta', keys: [P256_JWK] }];
  const NEED =
    'an attested PASS again, because supplying authority changes the intent that the present attestation is bound to';

  test('is supplied again if supplying the authority changes the intent', () => {
    const intent = { requiredControls: ['c'], controlEvidence: evidence, authorityFound: false };
    expect(remedies(intent, { controls: [attested], evidenceSources }, [verified()])).toEqual([
      expect.objectContaining({ gate: 'authority', action: 'correct' }),
      { gate: 'control', controlId: 'c', action: 'supply', need: NEED, assurance: 'attested' },
    ]);
  });

  test('stays if only its object is bound, or nothing is signed', () => {
    const intent = { requiredControls: ['c'], controlEvidence: evidence, authorityFound: false };
    const object = verified({ boundToDigest: false, boundToObject: true });
    const controls = [control('c', { assurance: 'attested', bindObject: true })];
    expect(remedies(intent, { controls, evidenceSources }, [object])).toMatchObject([{ gate: 'authority' }]);
    const unsigned = { ...intent, controlEvidence: [item('c')] };
    expect(remedies(unsigned)).toMatchObject([{ gate: 'authority' }]);
  });

  test('stays if the authority needs nothing', () => {
    const intent = { ...FOUND, requiredControls: ['c', 'd'], controlEvidence: evidence };
    expect(remedies(intent, { controls: [attested], evidenceSources }, [verified()])).toEqual([
      { gate: 'control', controlId: 'd', action: 'supply', need: 'a PASS' },
    ]);
  });

  test('attests the authority only bound to the digest', () => {
    const parts = {
      profiles: [profile('p', { attestedBy: control('c', { bindObject: true }), require: required('d') })],
      evidenceSources,
    };
    const intent = { ...FOUND, authorityFound: false, controlEvidence: [...evidence, item('d')] };
    expect(remedies(intent, parts, [verified({ boundToObject: true }), NO_ATTESTATION])).toEqual([
      expect.objectContaining({ gate: 'authority', action: 'correct' }),
      { gate: 'authority', controlId: 'c', action: 'supply', need: NEED, assurance: 'attested' },
    ]);
  });
});

describe('if the two decisions differ', () => {
  const OBSERVE = { writePolicy: 'observe', observeUntilMs: null } as const;

  test('what only the deciding reading needs is listed', () => {
    const profiles = [profile('p', { mode: OBSERVE, require: required('o') })];
    expect(remedies({ controlEvidence: [item('o')] }, { profiles })).toMatchObject([
      { gate: 'authority', action: 'supply' },
    ]);
  });

  test('authority that one reading needs is required in a form that the other accepts', () => {
    const watched = profile('p', {
      mode: OBSERVE,
      require: required('o'),
      authoritySources: ['master'],
      attestedBy: control('auth'),
    });
    expect(remedies({ controlEvidence: [item('o')] }, { profiles: [watched] })).toMatchObject([
      { gate: 'authority', action: 'supply', acceptedSources: ['master'] },
      { gate: 'authority', controlId: 'auth' },
    ]);
  });

  test('what an observing default lets through is not required', () => {
    const profiles = [profile('p', { mode: OBSERVE, require: required('o') })];
    expect(remedies({}, { profiles, defaultMode: OBSERVE })).toMatchObject([
      { gate: 'control', controlId: 'o', action: 'supply' },
    ]);
  });
});
