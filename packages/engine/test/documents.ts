/** Valid documents of every kind and ways to spoil them, for tests. */
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { ED25519_JWK, P256_JWK } from './keys.ts';

export function pack(controls: object, more: object = {}): Record<string, unknown> {
  return { kind: 'ControlPack', id: 'pack', controls, ...more };
}

export function profile(more: object = {}): Record<string, unknown> {
  return { kind: 'Profile', id: 'profile', ...more };
}

/** Documents that together have every member a document may have. */
export function anyDocuments(): readonly Record<string, unknown>[] {
  return [
    pack({
      identity: { maxAge: '15m', sources: ['okta'] },
      approval: { assurance: 'attested', use: 'once', bind: 'object' },
    }),
    pack(
      { a: { onUnmet: 'block', onFailed: 'block' }, b: { onUnmet: 'pause', onFailed: 'pause' } },
      { version: '3' },
    ),
    profile({
      version: '1',
      match: { system: 'erp', objectType: ['vendor', 'cust*'], field: 'iban', operation: 'vendor.*' },
      absent: 'skip',
      when: 'intent.metadata.context.amount > 1000.0',
      require: [
        'identity',
        { control: 'approval', promotedFrom: { source: 's', status: 'done', promotedBy: 'x' } },
      ],
      authority: { required: true, sources: ['master'], attestedBy: 'authority' },
      compare: 'trimmed',
      writePolicy: 'observe',
      observeUntil: '2026-12-01T00:00:00Z',
    }),
    profile({ authority: 'required', writePolicy: 'block_on_mismatch' }),
    profile({
      permit: true,
      match: { system: 'crm' },
      when: 'intent.system == "crm"',
      writePolicy: 'observe',
    }),
    profile({ authority: { confirmedBy: 'confirmation' } }),
    profile({ authority: { required: false }, different: ['approval', 'dual'], requester: 'required' }),
    pack({
      approval: { assurance: 'attested', review: true },
      dual: {
        assurance: 'attested',
        onUnmet: 'pause',
        review: {
          groups: ['finance'],
          approvals: 2,
          identity: 'passkey',
          expiresIn: '24h',
          holdsFor: '1h',
          selfReview: true,
        },
      },
    }),
    { kind: 'Workflow', id: 'flow', version: '2', profiles: [], require: ['dual'], writePolicy: 'enforce' },
    {
      kind: 'Defaults',
      writePolicy: 'observe',
      observeUntil: '2026-12-01T00:00:00+01:00',
      unmatched: 'pause',
    },
    { kind: 'EvidenceSource', id: 'okta', keys: { keys: [ED25519_JWK, P256_JWK] } },
    {
      kind: 'EvidenceSource',
      id: 'x',
      keys: { keys: [{ ...P256_JWK, alg: 'ES256', use: 'sig', key_ops: ['verify'], ext: true }] },
    },
    {
      kind: 'PolicyTest',
      id: 't',
      intent: { system: 'erp', operation: 'vendor.update' },
      now: '2026-11-15T00:00:00Z',
      expect: {
        decision: 'pause',
        reason_code: 'CONTROL_EVIDENCE_MISSING',
        codes: { identity: 'CONTROL_EVIDENCE_MISSING' },
      },
    },
  ];
}

export interface Random {
  readonly below: (bound: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
}

export function seeded(seed: number): Random {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  return { below, pick: (list) => list[below(list.length)]! };
}

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1.5,
  '',
  ' ',
  'a ',
  'observe',
  'enforce',
  'pause',
  'block',
  'attested',
  'asserted',
  'once',
  'object',
  'skip',
  'required',
  '15m',
  '1.5h',
  '15',
  '2026-02-30T00:00:00Z',
  '2026-12-01T00:00:00Z',
  '2026-12-01T00:00:00',
  'é',
  'x'.repeat(257),
  '😀'.repeat(256),
  [],
  [[]],
  ['a'],
  ['a', 1],
  {},
  { control: 'x' },
  { required: false },
  { confirmedBy: 'confirmation' },
  { approvals: 2, identity: 'any' },
  'review-desk',
  ['approval', 'dual'],
  'any',
  2,
  'OKP',
  'EC',
  'Ed25519',
  'P-256',
  'ES256',
  'EdDSA',
  'CONTROL_SATISFIED',
  'requirements_met',
  'a\u0000b',
  'intent.system == "erp"',
];
const ODD_NAMES = [
  'id',
  'kind',
  'version',
  'writePolicy',
  'observeUntil',
  'requires',
  'when',
  'match',
  'y',
  'alg',
  'use',
  'bind',
  'assurance',
  'onUnmet',
  'onFailed',
  'maxAge',
  'review',
  'permit',
  'authority',
  'different',
  'requester',
  'compare',
  'constructor',
  'toString',
  'Wrong',
  '',
];

/** A copy with one random thing changed, added or removed. */
export function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.below(8) === 0) {
    return typeof value === 'object' && value !== null
      ? mutateMembers(value, random)
      : random.pick(ODD_VALUES);
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return mutateMembers(value, random);
  const key = random.pick(keys);
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = random.below(3) === 0 ? random.pick(ODD_VALUES) : mutate(copy[key], random);
  return copy;
}

function mutateMembers(value: object, random: Random): unknown {
  if (Array.isArray(value))
    return random.below(2) === 0 ? value.slice(1) : [...value, random.pick(ODD_VALUES)];
  const copy = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  if (keys.length > 0 && random.below(2) === 0) delete copy[random.pick(keys)];
  else copy[random.pick(ODD_NAMES)] = random.pick(ODD_VALUES);
  return copy;
}
