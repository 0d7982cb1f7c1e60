/** The vocabularies of the generator for fast-check, so that a failure is shrunk to its cause. */
import type { WriteIntent } from '@writecheck/contract';
import { fc } from '../../../scripts/fast-check.ts';
import type {
  ControlDefinition,
  PolicyDocument,
  ProfileDocument,
  Requirement,
} from '../src/policy/documents.ts';
import { CONDITIONS } from './conditions.ts';
import {
  BASE_MS,
  CONTROL_IDS,
  MAX_AGES,
  PATTERNS,
  PUBLIC_KEY,
  reviewableControls,
  SOURCES,
} from './generate-bundle.ts';
import { type Draft, settle } from './generate-evidence.ts';
import { type Case, VALUES } from './generate-intent.ts';

/** A record whose members are each optional. */
function some<T>(members: { [name in keyof T]: fc.Arbitrary<T[name]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}
const pick = <const T>(...choices: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...choices);

const control: fc.Arbitrary<ControlDefinition> = some({
  maxAge: pick(...MAX_AGES),
  sources: pick(['okta', 'signer'], ['signer'], ['entra']),
  assurance: pick('asserted', 'attested'),
  use: pick('once'),
  bind: pick('object'),
  onUnmet: pick('pause', 'block'),
  onFailed: pick('pause', 'block'),
  review: pick<true | { readonly approvals: number }>(true, { approvals: 2 }),
}).map(({ use, bind, onFailed, review, ...rest }) => ({
  ...rest,
  // Nothing is generated that would make the bundle invalid.
  ...(use !== undefined && rest.assurance === 'attested' ? { use } : {}),
  ...(bind !== undefined && rest.assurance === 'attested' ? { bind } : {}),
  ...(onFailed !== undefined && rest.onUnmet !== 'block' ? { onFailed } : {}),
  ...(review !== undefined && rest.assurance === 'attested' && rest.onUnmet !== 'block' ? { review } : {}),
}));

const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  { weight: 9, arbitrary: pick(...CONTROL_IDS) },
  {
    weight: 1,
    arbitrary: pick(...CONTROL_IDS).map((id) => ({ control: id, promotedFrom: { source: 'diagnose' } })),
  },
);
const requirements = fc.uniqueArray(requirement, {
  maxLength: 3,
  selector: (need) => (typeof need === 'string' ? need : need.control),
});
const mode = {
  writePolicy: pick('observe', 'enforce', 'block_on_mismatch'),
  observeUntil: pick(...[-1, 0, 1].map((ms) => new Date(BASE_MS + ms).toISOString())),
};
function settleMode<T extends { writePolicy?: string; observeUntil?: string }>(document: T): T {
  if (document.writePolicy === 'observe' || document.observeUntil === undefined) return document;
  const { observeUntil: _until, ...rest } = document;
  return rest as T;
}

const match = some({
  system: pick(...PATTERNS.system),
  objectType: pick(...PATTERNS.objectType),
  field: pick(...PATTERNS.field),
  operation: pick(...PATTERNS.operation),
});

const profile = (id: string): fc.Arbitrary<PolicyDocument> =>
  some({
    version: pick('1', '2'),
    match,
    absent: pick('skip'),
    when: pick(...Object.keys(CONDITIONS)),
    require: requirements,
    authority: fc.oneof(
      pick('required' as const),
      some({
        required: fc.boolean(),
        sources: pick(['master'], ['master', 'ledger'], ['ledger']),
        attestedBy: pick(...CONTROL_IDS),
        confirmedBy: pick(...CONTROL_IDS),
      }),
    ),
    different: pick(['approval', 'authority'], ['identity', 'approval', 'authority']),
    compare: pick('number', 'caseless', 'trimmed', 'instant'),
    ...mode,
  }).map((members) => settleValues(settleMode({ kind: 'Profile', id, ...members }) as ProfileDocument));

/** A profile that requires no values has none to compare. */
function settleValues(profile: ProfileDocument): PolicyDocument {
  const { compare, authority, ...rest } = profile;
  if (typeof authority !== 'object' || authority.required !== false) return profile;
  return rest.writePolicy === 'block_on_mismatch'
    ? { ...profile, authority: 'required' }
    : { ...rest, authority };
}

const workflow = (id: string): fc.Arbitrary<PolicyDocument> =>
  some({ require: requirements, ...mode }).map(
    (members) => settleMode({ kind: 'Workflow', id, ...members }) as PolicyDocument,
  );

const permit = (id: string): fc.Arbitrary<PolicyDocument> =>
  some({
    match,
    when: pick(...Object.keys(CONDITIONS)),
    writePolicy: pick('observe', 'enforce'),
  }).map((members) => ({ kind: 'Profile', id, permit: true, ...members }) as PolicyDocument);

/** No profile confirms with a control that no person may approve, or if a mismatch blocks. */
function settleConfirmation(profiles: readonly PolicyDocument[], packs: readonly PolicyDocument[]) {
  const reviewable = reviewableControls(packs);
  return profiles.map((document) => {
    if (document.kind !== 'Profile' || typeof document.authority !== 'object') return document;
    const { confirmedBy, ...rest } = document.authority;
    const keeps = document.writePolicy !== 'block_on_mismatch' && reviewable.includes(confirmedBy ?? '');
    return keeps ? document : { ...document, authority: rest };
  });
}

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(one, { maxLength: 1 });

const bundle: fc.Arbitrary<readonly PolicyDocument[]> = fc
  .tuple(
    maybe(
      fc.tuple(control, control, control).map(
        ([identity, approval, authority]): PolicyDocument => ({
          kind: 'ControlPack',
          id: 'core',
          controls: { identity, approval, authority },
        }),
      ),
    ),
    maybe(profile('p-a')),
    maybe(fc.oneof({ weight: 3, arbitrary: profile('p-b') }, { weight: 1, arbitrary: permit('p-b') })),
    maybe(workflow('w1')),
    maybe(
      some({ ...mode, unmatched: fc.oneof(pick('pause' as const), fc.record({ pause: match })) }).map(
        (members) => settleMode({ kind: 'Defaults', ...members }) as PolicyDocument,
      ),
    ),
    maybe(
      fc.constant<PolicyDocument>({ kind: 'EvidenceSource', id: 'signer', keys: { keys: [PUBLIC_KEY] } }),
    ),
    fc.boolean(),
  )
  .map(([pack, a, b, [flow], defaults, signer, namesA]) => {
    const flows = flow === undefined ? [] : [namesA && a.length > 0 ? { ...flow, profiles: ['p-a'] } : flow];
    const profiles = settleConfirmation([...a, ...b], pack);
    return [...pack, ...profiles, ...flows, ...defaults, ...signer] as readonly PolicyDocument[];
  });

const draft: fc.Arbitrary<Draft> = fc.record({
  controlId: pick(...CONTROL_IDS),
  source: pick(...SOURCES),
  result: fc.oneof(
    { weight: 5, arbitrary: pick('PASS') },
    { weight: 2, arbitrary: pick('FAIL', 'REVOKED', 'pass', '') },
  ),
  ageMs: pick<number | null>(0, 1000, 60_000, 60_001, 900_000, 900_001, 3_600_001, null, -60_000, -60_001),
  checkedForm: pick('utc', 'offset', 'fine', 'local'),
  expiresInMs: pick<number | null>(null, null, 0, 1, 1000),
  expiresForm: pick('utc', 'utc', 'local'),
  evidenceRef: pick<string | null>(null, 'ref-1'),
  attestation: pick('none', 'verified', 'rejected', 'unlooked'),
  checkedInClaimOnly: fc.boolean(),
  attestationExpiresInMs: pick<number | null>(400_000, null, 0, 1),
  boundToDigest: pick(true, true, false),
  boundToObject: fc.boolean(),
  revoked: pick(false, false, false, true),
  usedUp: pick(false, false, false, true),
  jti: pick('j1', 'j2'),
  people: pick<readonly string[] | null>(['ann'], ['bob'], ['ann', 'bob'], null),
  confirmsAuthority: pick(true, true, false),
});

const intent: fc.Arbitrary<WriteIntent> = fc.record(
  {
    system: pick('erp', 'ERP', 'crm'),
    objectType: pick('vendor', 'invoice'),
    objectRef: pick('v-1', 'v-123456', ''),
    field: pick('iban', 'name'),
    agentValue: pick(...VALUES),
    authorityValue: pick(...VALUES),
    authoritySource: pick('master', 'ledger', 'hearsay'),
    authorityFound: pick(true, true, false),
    operation: pick('vendor.update', 'invoice.pay'),
    workflowId: pick('w1', 'w9'),
    requiredControls: fc.array(pick(...CONTROL_IDS), { maxLength: 3 }),
    metadata: fc.record({
      context: some({
        amount: pick<number | string>(0, 500, 1000.5, 'much'),
        tier: pick<number | string>('gold', 'basic', 3),
        due: pick<number | string>(new Date(BASE_MS - 3_600_000).toISOString(), 'tomorrow', 5),
      }),
    }),
  },
  { requiredKeys: ['system'] },
) as fc.Arbitrary<WriteIntent>;

export const anyCase: fc.Arbitrary<Case> = fc
  .record({ documents: bundle, intent, drafts: fc.array(draft, { maxLength: 5 }), shiftMs: pick(0, 1, -1) })
  .map(({ documents, intent: asked, drafts, shiftMs }) => {
    const nowMs = BASE_MS + shiftMs;
    const evidence = drafts.map((one, at) => settle(one, at, nowMs));
    const controlEvidence = evidence.map(({ item }) => item);
    const facts = evidence.map(({ facts: known }) => known);
    return { documents, intent: { ...asked, controlEvidence }, facts, nowMs };
  });
