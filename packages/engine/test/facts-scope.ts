/** A separate small world: rules that read a record, and every state of the items that sign it. */
import type { AttestationChecks, JsonObject, WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument, ProfileDocument } from '../src/policy/documents.ts';
import { RECORDS } from './conditions.ts';
import type { Case } from './generate-intent.ts';
import { asCase, makeItem, product, SIGNER } from './small-scopes.ts';

type Evidence = ReturnType<typeof makeItem>;
type Verified = Partial<AttestationChecks & { kind: 'verified' }>;

const RECORD: ControlDefinition = {
  facts: true,
  maxAge: '60s',
  assurance: 'attested',
  bind: 'object',
  sources: ['signer'],
};
const CONDITIONS = ['facts.record.status == "open"', 'facts.record.lines.all(l, l.amount <= 100.0)'];
const STALE_MS = 60_001;

const RULES: readonly Omit<ProfileDocument, 'kind' | 'id' | 'when' | 'writePolicy'>[] = [
  { match: { field: 'iban' }, permit: true },
  { require: ['identity'] },
  { require: ['record'] },
  { compare: 'caseless', require: ['identity'] },
  { authority: { required: true, sources: ['master'], confirmedBy: 'approval' } },
];
const OTHERS: readonly (readonly PolicyDocument[])[] = [
  [],
  [{ kind: 'Profile', id: 'p-b', require: ['identity'] }],
  [{ kind: 'Profile', id: 'p-b', when: CONDITIONS[0]!, writePolicy: 'block_on_mismatch' }],
];

function signed(
  record: JsonObject | undefined,
  ageMs = 0,
  attested: Verified = {},
  source = 'signer',
): Evidence {
  const bound = { boundToDigest: false, boundToObject: true, ...attested };
  const { item, facts } = makeItem('record', ['PASS', ageMs, source, null, bound]);
  return { item, facts: record === undefined ? facts : ({ ...facts, facts: record } as AttestationChecks) };
}

function said(result: string): Evidence {
  return makeItem('record', [result, 0, 'signer', null, 'none']);
}

const [OPEN, CLOSED] = RECORDS;
const GOOD = signed(OPEN);
const FLAWED: readonly Evidence[] = [
  signed(CLOSED, STALE_MS),
  signed(OPEN, STALE_MS),
  signed(OPEN, 0, { usedUp: true }),
  signed(OPEN, 0, { revoked: true }),
  signed(OPEN, 0, { boundToObject: false }),
  signed(OPEN, 0, { expiresAtMs: 0 }),
  signed(OPEN, 0, {}, 'stranger'),
  makeItem('record', ['PASS', 0, 'signer', null, 'rejected']),
  said('PASS'),
  said('FAIL'),
  said('REVOKED'),
  said('pass'),
];
const READ: readonly (readonly Evidence[])[] = [
  [],
  ...RECORDS.map((record) => [signed(record)]),
  ...FLAWED.map((one) => [one]),
  ...FLAWED.map((one) => [GOOD, one]),
  [GOOD, signed(CLOSED, 1_000)],
  [signed(OPEN, 1_000), signed(CLOSED)],
];

/** Every kind of rule that reads a record, in every mode, with every state of what the record says. */
export function* factsOfOneRecord(): Generator<Case> {
  const intents = [...product(READ, [false, true], [undefined, 'a', 'A'])];
  const modes = ['observe', 'enforce'] as const;
  for (const [rule, when, writePolicy, others, isStrict] of product(RULES, CONDITIONS, modes, OTHERS, [
    false,
    true,
  ])) {
    const record: ControlDefinition = isStrict ? { ...RECORD, use: 'once' } : RECORD;
    const approval: ControlDefinition = { assurance: 'attested', review: true };
    const documents: readonly PolicyDocument[] = [
      { kind: 'ControlPack', id: 'core', controls: { record, approval } },
      { kind: 'Profile', id: 'p-a', when, writePolicy, ...rule },
      ...others,
      { kind: 'Defaults', ...(isStrict ? { unmatched: 'pause' as const } : {}) },
      SIGNER,
    ];
    for (const [read, isIdentified, authorityValue] of intents) {
      const identity = isIdentified ? [makeItem('identity', ['PASS', 0, 'desk', null, 'none'])] : [];
      const authority =
        authorityValue === undefined
          ? {}
          : { agentValue: 'a', authorityFound: true, authorityValue, authoritySource: 'master' };
      const intent: WriteIntent = {
        system: 'erp',
        objectType: 'vendor',
        objectRef: 'V-1',
        field: 'iban',
        ...authority,
      };
      yield asCase(documents, intent, [...read, ...identity]);
    }
  }
}
