/** Small worlds, enumerated completely: errors that need few parts appear here. */
import {
  type AttestationChecks,
  type EvidenceItem,
  NO_ATTESTATION,
  type WriteIntent,
  type WritePolicy,
} from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument } from '../src/policy/documents.ts';
import { PUBLIC_KEY } from './generate-bundle.ts';
import type { Case } from './generate-intent.ts';

const NOW_MS = Date.parse('2026-11-03T10:00:00.000Z');
const MAX_AGE_MS = 60_000;
const MODES: readonly WritePolicy[] = ['observe', 'enforce', 'block_on_mismatch'];
export const SIGNER: PolicyDocument = { kind: 'EvidenceSource', id: 'signer', keys: { keys: [PUBLIC_KEY] } };
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();
const optional = <T extends object>(value: T | undefined): T | object => value ?? {};

type Evidence = { readonly item: EvidenceItem; readonly facts: AttestationChecks };

export function* product<T extends readonly (readonly unknown[])[]>(
  ...lists: T
): Generator<{ [index in keyof T]: T[index][number] }> {
  type Row = { [index in keyof T]: T[index][number] };
  if (lists.length === 0) {
    yield [] as unknown as Row;
    return;
  }
  const [first, ...rest] = lists as unknown as readonly [readonly unknown[], ...(readonly unknown[])[]];
  for (const head of first) for (const tail of product(...rest)) yield [head, ...tail] as unknown as Row;
}

export function asCase(
  documents: readonly PolicyDocument[],
  intent: WriteIntent,
  evidence: readonly Evidence[],
): Case {
  return {
    documents,
    intent: { ...intent, controlEvidence: evidence.map(({ item }) => item) },
    facts: evidence.map(({ facts }) => facts),
    nowMs: NOW_MS,
  };
}

// --- Items: every result, age, source, expiry and state of an attestation.

type Attested = 'none' | 'rejected' | 'unlooked' | Partial<AttestationChecks & { kind: 'verified' }>;
const ATTESTED: readonly Attested[] = [
  'none',
  'rejected',
  'unlooked',
  {},
  { boundToDigest: false },
  { boundToDigest: false, boundToObject: true },
  { revoked: true },
  { usedUp: true },
  { expiresAtMs: NOW_MS },
  { expiresAtMs: null },
];
const AGES_MS: readonly (number | null)[] = [0, MAX_AGE_MS, MAX_AGE_MS + 1, -60_000, -60_001, null];
const RESULTS = ['PASS', 'FAIL', 'REVOKED', 'pass'] as const;
const ITEM_SOURCES = ['signer', 'stranger', 'review-desk'] as const;
const EXPIRIES: readonly (string | null)[] = [null, at(0), '2026-11-03T11:00:00'];

export function makeItem(
  controlId: string,
  [result, ageMs, source, expiresAt, attested]: readonly [
    string,
    number | null,
    string,
    string | null,
    Attested,
  ],
): Evidence {
  const item: EvidenceItem = {
    controlId,
    source,
    result,
    ...optional(ageMs === null ? undefined : { checkedAt: at(-ageMs) }),
    ...optional(expiresAt === null ? undefined : { expiresAt }),
    // The review that an item of the review desk names determines what backs it.
    ...optional(
      attested === 'none'
        ? undefined
        : source === 'review-desk'
          ? { evidenceRef: `urn:writecheck:review:${JSON.stringify(attested)}` }
          : { attestation: `jws-${JSON.stringify(attested)}` },
    ),
  };
  if (attested === 'rejected') return { item, facts: { kind: 'rejected', why: 'signature' } };
  if (typeof attested === 'string') return { item, facts: NO_ATTESTATION };
  return {
    item,
    facts: {
      kind: 'verified',
      jti: `j-${controlId}`,
      checkedAtMs: NOW_MS - (ageMs ?? 1000),
      expiresAtMs: NOW_MS + 3_600_000,
      boundToDigest: true,
      boundToObject: false,
      revoked: false,
      usedUp: false,
      ...attested,
    },
  };
}

const CONTROLS: readonly ControlDefinition[] = [
  {},
  { maxAge: '60s' },
  { sources: ['signer'], onFailed: 'pause' },
  { maxAge: '60s', onUnmet: 'block' },
  { assurance: 'attested' },
  { assurance: 'attested', maxAge: '60s', use: 'once', onUnmet: 'block' },
  { assurance: 'attested', bind: 'object', sources: ['signer'] },
  { assurance: 'attested', bind: 'object', use: 'once', maxAge: '60s', onFailed: 'pause' },
  { assurance: 'attested', sources: ['signer'], maxAge: '60s', onFailed: 'pause', review: true },
];

/** One control in every definition and mode, with one item of every kind. */
export function* oneItem(): Generator<Case> {
  for (const documents of controlBundles()) {
    for (const kind of product(RESULTS, AGES_MS, ITEM_SOURCES, EXPIRIES, ATTESTED)) {
      yield asCase(documents, { system: 'erp' }, [makeItem('identity', kind)]);
    }
  }
}

/** The same with no item, and with every pair of items of the kinds that differ in their outcome. */
export function* twoItems(): Generator<Case> {
  const kinds = [
    ...product(RESULTS, [0], ITEM_SOURCES, [null], ['none', {}] as readonly Attested[]),
    ...product(['PASS'] as const, AGES_MS, ['signer'] as const, [null, at(0)], [
      'none',
      {},
    ] as readonly Attested[]),
    ...product(['PASS'] as const, [0, 1000], ['signer'] as const, [null], ATTESTED),
  ];
  const distinct = [
    ...new Map(kinds.map((kind) => [JSON.stringify(kind), makeItem('identity', kind)])).values(),
  ];
  for (const documents of controlBundles()) {
    yield asCase(documents, { system: 'erp' }, []);
    for (const [index, first] of distinct.entries()) {
      for (const second of distinct.slice(index)) yield asCase(documents, { system: 'erp' }, [first, second]);
    }
  }
}

function* controlBundles(): Generator<readonly PolicyDocument[]> {
  for (const [identity, writePolicy] of product(CONTROLS, MODES)) {
    yield [
      { kind: 'ControlPack', id: 'core', controls: { identity } },
      { kind: 'Profile', id: 'p-a', require: ['identity'], writePolicy },
      SIGNER,
    ];
  }
}

/** Every state of authority under every kind of profile that could care. */
export function* authority(): Generator<Case> {
  const needs = [
    undefined,
    'required',
    { required: false, sources: ['master'] },
    { required: true, attestedBy: 'approval' },
    { sources: ['master', 'ledger'], attestedBy: 'approval' },
  ] as const;
  const comparators = [[], ['caseless'], ['caseless', 'number']] as const;
  const intents = [
    ...product(
      [undefined, true, false],
      [undefined, 'a', 'A'],
      [undefined, 'a'],
      [undefined, 'master', 'hearsay'],
      ['none', 'good', 'unmet'] as const,
      ['none', 'good', 'unbound', 'failed'] as const,
    ),
  ];
  for (const [need, compare, onField, writePolicy] of product(needs, comparators, [false, true], MODES)) {
    // A profile that requires no values has none to compare.
    const asksForNone = typeof need === 'object' && 'required' in need && !need.required;
    if (asksForNone && (compare[0] !== undefined || writePolicy === 'block_on_mismatch')) continue;
    const documents: readonly PolicyDocument[] = [
      { kind: 'ControlPack', id: 'core', controls: { approval: { assurance: 'attested', use: 'once' } } },
      {
        kind: 'Profile',
        id: 'p-a',
        writePolicy,
        ...optional(need === undefined ? undefined : { authority: need }),
        ...optional(compare[0] === undefined ? undefined : { compare: compare[0] }),
        ...optional(onField ? { match: { field: 'iban' } } : undefined),
      },
      ...(compare[1] === undefined
        ? []
        : [{ kind: 'Profile', id: 'p-b', compare: compare[1], writePolicy: 'observe' } as const]),
      SIGNER,
    ];
    const attests = typeof need === 'object' && 'attestedBy' in need;
    for (const [authorityFound, agentValue, authorityValue, authoritySource, control, attested] of intents) {
      if (!attests && attested !== 'none' && attested !== 'good') continue;
      const evidence: Evidence[] = [];
      if (control === 'good') evidence.push(makeItem('unlisted', ['PASS', 0, 'desk', null, 'none']));
      if (attested === 'good') evidence.push(makeItem('approval', ['PASS', 0, 'signer', null, {}]));
      if (attested === 'unbound') {
        evidence.push(makeItem('approval', ['PASS', 0, 'signer', null, { boundToDigest: false }]));
      }
      if (attested === 'failed') evidence.push(makeItem('approval', ['FAIL', 0, 'desk', null, 'none']));
      const intent: WriteIntent = {
        system: 'erp',
        field: 'iban',
        ...optional(authorityFound === undefined ? undefined : { authorityFound }),
        ...optional(agentValue === undefined ? undefined : { agentValue }),
        ...optional(authorityValue === undefined ? undefined : { authorityValue }),
        ...optional(authoritySource === undefined ? undefined : { authoritySource }),
        ...optional(control === 'none' ? undefined : { requiredControls: ['unlisted'] }),
      };
      yield asCase(documents, intent, evidence);
    }
  }
}

/** Two controls required by request, workflow and profile in every combination of modes, and the defaults around them. */
export function* sources(): Generator<Case> {
  const states = ['none', 'good', 'failed'] as const;
  const modes = [undefined, ...MODES];
  const intents = [
    ...product([undefined, ['identity'], ['approval', 'identity']], [undefined, 'w1', 'w9'], states, states, [
      false,
      true,
    ]),
  ];
  for (const [workflow, profile, defaults, unmatched] of product(modes, modes, modes, [
    undefined,
    'pause',
    'scoped',
  ] as const)) {
    const documents: readonly PolicyDocument[] = [
      { kind: 'ControlPack', id: 'core', controls: { approval: { onUnmet: 'block' } } },
      ...(workflow === undefined
        ? []
        : [{ kind: 'Workflow', id: 'w1', require: ['approval'], writePolicy: workflow } as const]),
      ...(profile === undefined
        ? []
        : [
            {
              kind: 'Profile',
              id: 'p-a',
              match: { operation: 'vendor.*' },
              require: ['identity'],
              writePolicy: profile,
            } as const,
          ]),
      {
        kind: 'Defaults',
        ...optional(defaults === undefined ? undefined : { writePolicy: defaults }),
        ...optional(unmatched === 'pause' ? { unmatched } : undefined),
        ...optional(
          unmatched === 'scoped' ? { unmatched: { pause: { operation: 'invoice.*' } } } : undefined,
        ),
      },
    ];
    for (const [requiredControls, workflowId, identity, approval, elsewhere] of intents) {
      const evidence = (
        [
          ['identity', identity],
          ['approval', approval],
        ] as const
      ).flatMap(([id, state]) =>
        state === 'none' ? [] : [makeItem(id, [state === 'good' ? 'PASS' : 'FAIL', 0, 'desk', null, 'none'])],
      );
      const intent: WriteIntent = {
        system: 'erp',
        operation: elsewhere ? 'invoice.pay' : 'vendor.update',
        ...optional(requiredControls === undefined ? undefined : { requiredControls }),
        ...optional(workflowId === undefined ? undefined : { workflowId }),
      };
      yield asCase(documents, intent, evidence);
    }
  }
}

/** Everything a person may say about a control and about authority, next to a permit and a profile that disagrees. */
export function* people(): Generator<Case> {
  const reviewable: ControlDefinition = { assurance: 'attested', review: true };
  const confirmed = { required: true, sources: ['master'], confirmedBy: 'approval' };
  const profiles: readonly (readonly PolicyDocument[])[] = [
    [{ kind: 'Profile', id: 'p-a', authority: confirmed }],
    [{ kind: 'Profile', id: 'p-a', authority: confirmed, require: ['approval'] }],
    [{ kind: 'Profile', id: 'p-a', authority: { ...confirmed, attestedBy: 'approval' } }],
    [{ kind: 'Profile', id: 'p-a', authority: { required: false, confirmedBy: 'approval' } }],
    [{ kind: 'Profile', id: 'p-a', require: ['approval'] }],
    [{ kind: 'Profile', id: 'p-a', permit: true, match: { field: 'iban' } }],
  ];
  const others: readonly (readonly PolicyDocument[])[] = [
    [],
    [{ kind: 'Profile', id: 'p-b', authority: 'required' }],
    [{ kind: 'Profile', id: 'p-b', authority: { ...confirmed, confirmedBy: 'dual' } }],
    [{ kind: 'Profile', id: 'p-b', require: ['identity'] }],
  ];
  const approved = makeItem('approval', ['PASS', 0, 'review-desk', null, {}]);
  const failed = makeItem('approval', ['FAIL', 0, 'signer', null, 'none']);
  const evidence: readonly (readonly Evidence[])[] = [
    [],
    [makeItem('approval', ['PASS', 0, 'review-desk', null, 'none'])],
    [approved],
    [makeItem('approval', ['PASS', 0, 'review-desk', null, { usedUp: true }])],
    [makeItem('approval', ['PASS', 0, 'signer', null, {}])],
    [failed],
    [approved, failed],
  ];
  const intents = [
    ...product(
      [undefined, true, false],
      [undefined, 'a'],
      [undefined, 'a', 'b'],
      [undefined, 'master'],
      evidence,
    ),
  ];
  const modes = ['observe', 'enforce'] as const;
  for (const [ours, theirs, mode, otherMode, defaults] of product(profiles, others, modes, modes, modes)) {
    const documents: readonly PolicyDocument[] = [
      { kind: 'ControlPack', id: 'core', controls: { approval: reviewable, dual: reviewable } },
      ...ours.map((one) => ({ ...one, writePolicy: mode }) as PolicyDocument),
      ...theirs.map((one) => ({ ...one, writePolicy: otherMode }) as PolicyDocument),
      { kind: 'Defaults', writePolicy: defaults },
      SIGNER,
    ];
    for (const [authorityFound, agentValue, authorityValue, authoritySource, items] of intents) {
      const intent: WriteIntent = {
        system: 'erp',
        field: 'iban',
        ...optional(authorityFound === undefined ? undefined : { authorityFound }),
        ...optional(agentValue === undefined ? undefined : { agentValue }),
        ...optional(authorityValue === undefined ? undefined : { authorityValue }),
        ...optional(authoritySource === undefined ? undefined : { authoritySource }),
      };
      yield asCase(documents, intent, items);
    }
  }
}
