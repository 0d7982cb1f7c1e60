import { expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { compile } from '../policy/compile.ts';
import { findLoosened } from './find-loosened.ts';
import { sampleCases } from './sample-cases.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');

function examples(before: readonly unknown[], after: readonly unknown[]) {
  const old = compile(before);
  const next = compile(after);
  if (old.kind === 'invalid' || next.kind === 'invalid') throw new Error(JSON.stringify([old, next]));
  return findLoosened(sampleCases(old.documents, next.documents, NOW_MS), old.snapshot, next.snapshot);
}

const P = {
  kind: 'Profile',
  id: 'p',
  match: { system: 'erp', objectType: 'vendor', field: ['iban', 'bic'], operation: 'vendor.*' },
  require: ['identity', 'approval'],
};
function pack(approval: object) {
  return { kind: 'ControlPack', id: 'core', controls: { approval } };
}
const okta = { kind: 'EvidenceSource', id: 'okta', keys: { keys: [ED25519_JWK] } };
const W = { kind: 'Workflow', id: 'w', require: ['dual'] };
const L = { kind: 'Limit', id: 'l', match: { system: 'erp' }, max: 5, per: 'day' };
function when(text: string) {
  return { ...P, when: text };
}

test.each<[string, unknown[], unknown[]]>([
  ['a profile that is gone', [P], []],
  ['a requirement less', [P], [{ ...P, require: ['identity'] }]],
  ['a value less in a match', [P], [{ ...P, match: { ...P.match, field: 'iban' } }]],
  ['a weaker mode', [P], [{ ...P, writePolicy: 'observe' }]],
  ['a comparator', [P], [{ ...P, compare: 'number' }]],
  ['a longer max age', [P, pack({ maxAge: '1h' })], [P, pack({ maxAge: '2h' })]],
  ['a new source', [P, pack({ sources: ['a'] })], [P, pack({ sources: ['a', 'b'] })]],
  ['a softer failure', [P], [P, pack({ onFailed: 'pause' })]],
  ['an unsigned word', [P, okta, pack({ assurance: 'attested' })], [P, okta, pack({})]],
  [
    'a binding to the object',
    [P, okta, pack({ assurance: 'attested' })],
    [P, okta, pack({ assurance: 'attested', bind: 'object' })],
  ],
  [
    'a second use',
    [P, okta, pack({ assurance: 'attested', use: 'once' })],
    [P, okta, pack({ assurance: 'attested' })],
  ],
  ['a new signer', [P, pack({ assurance: 'attested' })], [P, okta, pack({ assurance: 'attested' })]],
  [
    'a first max age',
    [P, okta, pack({ assurance: 'attested' })],
    [P, okta, pack({ assurance: 'attested', maxAge: '1h' })],
  ],
  ['a requirement less behind a limit', [P, L], [{ ...P, require: ['identity'] }, L]],
  ['a limit that is gone', [P, L], [P]],
  ['a higher limit', [P, L], [P, { ...L, max: 6 }]],
  ['a workflow that requires less', [W], [{ ...W, require: ['other'] }]],
  [
    'a moved threshold',
    [when('intent.metadata.context.amount > 10.0')],
    [when('intent.metadata.context.amount > 11.0')],
  ],
  [
    'another word in a condition',
    [when('intent.metadata.context.tier in ["a", "b"]')],
    [when('intent.metadata.context.tier in ["a"]')],
  ],
  [
    'an approval by a person',
    [P, pack({ assurance: 'attested' })],
    [P, pack({ assurance: 'attested', review: true })],
  ],
  [
    'authority that a person confirms',
    [pack({ assurance: 'attested', review: true }), { ...P, require: [], authority: 'required' }],
    [
      pack({ assurance: 'attested', review: true }),
      { ...P, require: [], authority: { confirmedBy: 'approval' } },
    ],
  ],
  ['a permit', [], [{ kind: 'Profile', id: 'notes', match: { system: 'crm' }, permit: true }]],
  ['a default that lets everything pass', [{ kind: 'Defaults', unmatched: 'pause' }], []],
])('%s is shown by an example', (_name, before, after) => {
  const [first] = examples(before, after);
  expect(first).toBeDefined();
  expect(first!.before).not.toEqual(first!.after);
});

test('there is no example where nothing loosens, and at most five elsewhere', () => {
  expect(examples([P], [{ ...P, require: ['identity', 'approval', 'dual'] }])).toEqual([]);
  const many = Array.from({ length: 30 }, (_, at) => ({ ...P, id: `p${at}`, match: { system: `s${at}` } }));
  expect(examples(many, [])).toHaveLength(5);
});

test('an example says which authority and evidence came with it, and no two say the same', () => {
  const scoped = { kind: 'Defaults', unmatched: { pause: { system: 'hris' } } };
  const found = examples([P, scoped], [{ ...P, require: ['identity'] }]);
  expect(found.map(({ sent }) => sent)).toContain(
    'authority from `master` for the same value, `identity` `PASS` from `desk`, 1 s old, `approval` missing',
  );
  const texts = found.map(({ intent, sent, before, after }) =>
    JSON.stringify([intent.system, intent.objectType, intent.field, intent.operation, sent, before, after]),
  );
  expect(new Set(texts).size).toBe(texts.length);
  expect(found.some(({ intent }) => intent.system === 'hris')).toBe(true);
});

test('a made-up example reads like a write', () => {
  const refunds = { ...P, match: { system: 'payments*', operation: 'refund.*' } };
  const [first] = examples(
    [{ ...refunds, when: 'intent.metadata.context.currency != "EUR"' }],
    [{ ...refunds, when: 'intent.metadata.context.currency == "GBP"' }],
  );
  expect(first!.intent).toMatchObject({
    ...{ system: 'payments-other', operation: 'refund.create', objectType: 'record' },
    metadata: { context: { currency: 'USD' } },
  });
  const twins = { ...P, match: { objectType: ['vendor', 'vendor*', '*_account'] } };
  const [gone] = examples([twins], [{ ...twins, match: { objectType: ['vendor', '*_account'] } }]);
  expect(gone!.intent.objectType).toBe('vendor-other');
});

test('an example shows a decision that loosens, never one that tightens', () => {
  const watching = { kind: 'Profile', id: 'w', require: ['identity'], writePolicy: 'observe' };
  expect(examples([], [watching])).toEqual([]);
  expect(examples([watching], [])).toEqual([]);
});
