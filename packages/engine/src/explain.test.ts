import type { EvidenceItem } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { control as aControl, item, NOW_MS } from '../test/plain-snapshot.ts';
import type { AuthorityOutcome } from './evaluate-authority.ts';
import { type EvaluatedControl, evaluateControl } from './evaluate-control.ts';
import {
  describeNeed,
  explainAllow,
  explainAuthority,
  explainControl,
  explainPolicyError,
  quote,
} from './explain.ts';
import type { Control } from './policy/snapshot.ts';

describe('a quoted value', () => {
  test('shows plain text unchanged, spaces included', () => {
    expect(quote('NET 30')).toBe('`NET 30`');
    expect(quote('Straße 金額 𝔘')).toBe('`Straße 金額 𝔘`');
  });

  test('escapes characters that are invisible, or would end the quote', () => {
    expect(quote('a\u200bb')).toBe('`a\\u{200b}b`');
    expect(quote('\u202eexe')).toBe('`\\u{202e}exe`');
    expect(quote('a\nb')).toBe('`a\\u{a}b`');
    expect(quote('a\u00a0b')).toBe('`a\\u{a0}b`');
    expect(quote('a`b')).toBe('`a\\u{60}b`');
    expect(quote('e\u0301')).toBe('`e\\u{301}`');
    expect(quote('a\u115fb')).toBe('`a\\u{115f}b`');
  });

  test('is shortened after 64 code points, never inside one', () => {
    expect(quote('x'.repeat(64))).toBe(`\`${'x'.repeat(64)}\``);
    expect(quote('x'.repeat(65))).toBe(`\`${'x'.repeat(64)}…\``);
    expect(quote('𝔘'.repeat(64))).toBe(`\`${'𝔘'.repeat(64)}\``);
    expect(quote('𝔘'.repeat(65))).toBe(`\`${'𝔘'.repeat(64)}…\``);
    expect(quote(`${'𝔘'.repeat(64)}x`)).toBe(`\`${'𝔘'.repeat(64)}…\``);
  });
});

describe('a need', () => {
  const control: Control = {
    id: 'approval',
    maxAgeMs: null,
    sources: null,
    assurance: 'asserted',
    useOnce: false,
    bindObject: false,
    onUnmet: 'pause',
    onFailed: 'block',
    review: null,
    facts: false,
  };
  test.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [90_000, '90 seconds'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [5_400_000, '90 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '1 day'],
    [172_800_000, '2 days'],
  ])('of %d ms reads %s', (maxAgeMs, words) => {
    expect(describeNeed({ ...control, maxAgeMs })).toBe(`a PASS checked within the last ${words}`);
  });

  test('names the assurance and the sources', () => {
    expect(describeNeed(control)).toBe('a PASS');
    expect(describeNeed({ ...control, sources: ['okta'] })).toBe('a PASS from `okta`');
    expect(describeNeed({ ...control, assurance: 'attested', sources: ['okta', 'entra'] })).toBe(
      'an attested PASS from one of `okta`, `entra`',
    );
    expect(describeNeed(control, 'attestedBy')).toBe('an attested PASS');
  });
});

describe('an allow', () => {
  const asked = (warnings: readonly string[]): AuthorityOutcome => ({
    applies: true,
    problems: [],
    acceptedSources: null,
    attestedBy: [],
    confirmation: null,
    warnings,
  });
  test.each([
    [0, asked([]), 'The authority was found and holds the proposed value.'],
    [1, { ...asked([]), applies: false }, 'The required control is satisfied.'],
    [2, { ...asked([]), applies: false }, 'All 2 required controls are satisfied.'],
    [
      1,
      asked([]),
      'The required control is satisfied, and the authority was found and holds the proposed value.',
    ],
    [3, asked(['not compared']), 'All 3 required controls are satisfied, and the authority was found.'],
  ])('over %d controls', (count, authority, text) => {
    expect(explainAllow(count, authority)).toBe(text);
  });
});

test('conditions that fail are named together', () => {
  const profiles = ['a', 'b'].map((id) => ({ id, times: [] }));
  expect(explainPolicyError(profiles as never, { system: 'erp' }, () => null)).toMatch(
    /^The condition of profile `a`, `b` could not be.*an operator must fix the condition\.$/,
  );
});

describe('the authority', () => {
  const NOT = 'Current authority could not be confirmed';
  const intent = { system: 'erp', authoritySource: 'crm' };
  const notAccepted = (source: string | undefined, accepted: readonly string[]) =>
    ({ kind: 'source_not_accepted', stated: source !== undefined, source, accepted }) as const;
  const unsigned: EvaluatedControl = evaluateControl(
    aControl('auth'),
    { items: [item('auth')], facts: [], nowMs: NOW_MS },
    'attestedBy',
  );
  test.each([
    [
      { kind: 'not_found', stated: true } as const,
      `${NOT}: the caller reports that no authority was found; look the value up in its authoritative source and send what it holds.`,
    ],
    [
      { kind: 'not_found', stated: false } as const,
      `${NOT}: \`authorityFound\` was not sent; look the value up in its authoritative source and send what it holds.`,
    ],
    [
      notAccepted('crm', ['erp']),
      `${NOT}: \`crm\` is not an accepted authority source; accepted is \`erp\`.`,
    ],
    [
      notAccepted(undefined, ['erp', 'mdm']),
      `${NOT}: no \`authoritySource\` was sent; accepted is one of \`erp\`, \`mdm\`.`,
    ],
    [
      notAccepted('crm', []),
      `${NOT}: \`crm\` is not an accepted authority source; the policies that apply have no accepted source in common.`,
    ],
    [
      { kind: 'value_missing', member: 'agentValue' } as const,
      `${NOT}: \`agentValue\` was not sent, and the values must be compared; send it.`,
    ],
    [
      { kind: 'not_attested', control: aControl('auth'), evaluated: unsigned } as const,
      `${NOT}: it must be attested by control \`auth\`. Evidence for control \`auth\` from \`okta\` is not trusted: it carries no attestation, and the control requires one; supply an attested PASS.`,
    ],
    [
      { kind: 'mismatch', agentValue: 'a', authorityValue: 'b' } as const,
      "The proposed value `a` differs from `b`, which `crm` holds; write the authority's value, or have the authority corrected first.",
    ],
  ])('%o', (problem, text) => {
    expect(explainAuthority(problem, intent)).toBe(text);
  });

  test('without a name is the authoritative source', () => {
    expect(
      explainAuthority({ kind: 'mismatch', agentValue: 'a', authorityValue: 'b' }, { system: 'erp' }),
    ).toContain('differs from `b`, which the authoritative source holds;');
  });
});

describe('a control', () => {
  const explain = (more: Partial<Control>, ...items: readonly EvidenceItem[]) => {
    const control = aControl('c', more);
    return explainControl(control, evaluateControl(control, { items, facts: [], nowMs: NOW_MS }));
  };
  const { checkedAt: _, ...timeless } = item('c');
  test.each([
    [{}, [item('c')], 'Control `c` is satisfied.'],
    [{}, [], 'Control `c` has no evidence; supply a PASS.'],
    [
      {},
      [item('c', { result: 'FAIL' })],
      'Control `c` failed: `okta` reports FAIL; resolve what the check found before asking again.',
    ],
    [
      {},
      [item('c', { result: 'REVOKED' })],
      'Evidence for control `c` from `okta` was revoked; stop, and have the check repeated.',
    ],
    [
      {},
      [item('c', { result: 'OK' })],
      'Control `c` has a result that is none of PASS, FAIL and REVOKED: `okta` reports `OK`; send one of these three, in upper case.',
    ],
    [
      { maxAgeMs: 1_000 },
      [item('c')],
      'Evidence for control `c` from `okta`, checked at 2026-11-15T11:59:00Z, is too old; supply a PASS checked within the last 1 second.',
    ],
    [
      { maxAgeMs: 2_000 },
      [timeless],
      'Evidence for control `c` from `okta` does not say when it was checked; supply a PASS checked within the last 2 seconds.',
    ],
    [
      { maxAgeMs: 60_000 },
      [item('c', { checkedAt: '2026-11-15T11:59:59' })],
      'Evidence for control `c` from `okta`, checked at 2026-11-15T11:59:59, does not say in which time zone that was; supply a PASS checked within the last 1 minute.',
    ],
    [
      { maxAgeMs: 60_000 },
      [item('c', { checkedAt: 'yesterday' })],
      'Evidence for control `c` from `okta`, checked at yesterday, does not say in which time zone that was; supply a PASS checked within the last 1 minute.',
    ],
    [
      {},
      [item('c', { expiresAt: '2026-11-15T11:59:59Z' })],
      'Evidence for control `c` from `okta` has expired; supply a PASS.',
    ],
    [
      { sources: ['sap'] },
      [item('c')],
      'Evidence for control `c` from `okta` is not trusted: its source is not among those the control accepts; supply a PASS from `sap`.',
    ],
  ])('under %o with %o', (more, items, text) => {
    expect(explain(more, ...items)).toBe(text);
  });

  test.each(['pass', 'Fail', 'revoked', 'PASSED', 'a pass', 'pass '])('with the result %s', (result) => {
    const hint = ['pass', 'Fail', 'revoked'].includes(result) ? ', which is not the same word' : '';
    expect(explain({}, item('c', { result }))).toBe(
      `Control \`c\` has a result that is none of PASS, FAIL and REVOKED: \`okta\` reports \`${result}\`${hint}; send one of these three, in upper case.`,
    );
  });

  test('that is untrusted for an unknown reason says so', () => {
    const control = aControl('c', { sources: ['sap'] });
    const evaluated = {
      ...evaluateControl(control, { items: [item('c')], facts: [], nowMs: NOW_MS }),
      distrust: null,
    };
    expect(explainControl(control, evaluated)).toContain(': it does not meet what the control requires;');
  });
});
