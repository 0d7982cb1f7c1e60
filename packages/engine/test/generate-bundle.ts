/** Seeded policy bundles from small vocabularies, so that rules meet, overlap and contradict each other often. */
import type { WritePolicy } from '@writecheck/contract';
import type {
  AuthorityRequirement,
  ControlDefinition,
  DefaultsDocument,
  Match,
  Pattern,
  PolicyDocument,
  Requirement,
} from '../src/policy/documents.ts';
import { CONDITIONS, FACTS_CONDITIONS, packOfFacts } from './conditions.ts';
import type { Dice } from './dice.ts';

export const BASE_MS = Date.parse('2026-11-03T10:00:00.000Z');
export const CONTROL_IDS = ['identity', 'approval', 'authority', 'dual', 'unlisted'] as const;
export const SOURCES = ['okta', 'entra', 'signer', 'keyless', 'desk', 'review-desk'] as const;
export const REVIEWS = [
  true,
  { approvals: 2 },
  { groups: ['finance'], holdsFor: '2h' },
  { identity: 'any' },
] as const;
export const MAX_AGES = ['60s', '15m', '1h'] as const;
export const PUBLIC_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'k1',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
} as const;

export const PATTERNS: { readonly [member in keyof Match]-?: readonly Pattern[] } = {
  system: ['erp', 'ERP', 'e*', '*', ['erp', 'crm'], ['c*', 'sap'], 'crm'],
  objectType: ['vendor', 'Vendor', '*endo*', ['vendor', 'invoice'], ['in*e']],
  field: ['iban', '*', ['iban', 'account_number'], 'account_*'],
  operation: ['vendor.*', 'vendor.update', ['vendor.create', 'INVOICE.*'], '*.pay'],
};
const TEXTS = [...Object.keys(CONDITIONS), ...Object.keys(FACTS_CONDITIONS)];
const DIFFERENT = [
  ['approval', 'dual'],
  ['identity', 'approval', 'authority'],
] as const;

/** What prevails in a bundle, so that pure cases (all observed, all blocking) are as frequent as mixed ones. */
interface Climate {
  readonly modes: readonly (WritePolicy | undefined)[];
  readonly onUnmetBlocks: number;
  readonly onFailedPauses: number;
}

const CLIMATES: readonly (readonly (WritePolicy | undefined)[])[] = [
  ['observe'],
  ['observe'],
  ['observe'],
  ['observe', 'enforce', undefined],
  ['enforce', undefined],
  ['observe', 'enforce', undefined, 'block_on_mismatch'],
  ['block_on_mismatch'],
  ['block_on_mismatch', 'block_on_mismatch', 'enforce'],
];

type Moded = { writePolicy?: WritePolicy; observeUntil?: string };

function generateMode(dice: Dice, climate: Climate): Moded {
  const writePolicy = dice.pick(climate.modes);
  if (writePolicy === undefined) return {};
  if (writePolicy !== 'observe' || dice.chance(80)) return { writePolicy };
  const observeUntil = new Date(BASE_MS + dice.pick([-60_000, -1, 0, 1, 2, 60_000])).toISOString();
  return { writePolicy, observeUntil };
}

export function generateControl(dice: Dice, climate: Climate): ControlDefinition {
  const attested = dice.chance(35);
  const blocks = dice.chance(climate.onUnmetBlocks);
  const onFailed = dice.chance(climate.onFailedPauses) ? 'pause' : dice.pick(['block', undefined] as const);
  return {
    ...(dice.chance(65) ? { maxAge: dice.pick(MAX_AGES) } : {}),
    ...(dice.chance(40)
      ? { sources: dice.pick([['okta', 'signer'], ['signer'], ['keyless', 'desk'], ['entra']]) }
      : {}),
    ...(attested
      ? { assurance: 'attested' as const }
      : dice.chance(10)
        ? { assurance: 'asserted' as const }
        : {}),
    ...(attested && dice.chance(40) ? { use: 'once' as const } : {}),
    ...(attested && dice.chance(40) ? { bind: 'object' as const } : {}),
    ...(blocks ? { onUnmet: 'block' as const } : dice.chance(20) ? { onUnmet: 'pause' as const } : {}),
    ...(blocks ? (dice.chance(50) ? { onFailed: 'block' as const } : {}) : onFailed ? { onFailed } : {}),
    ...(attested && !blocks && dice.chance(65) ? { review: dice.pick(REVIEWS) } : {}),
  };
}

function generateRequirements(dice: Dice): readonly Requirement[] {
  const ids = CONTROL_IDS.filter((id) => dice.chance(id === 'unlisted' ? 18 : 36));
  return ids.map((control) =>
    dice.chance(10)
      ? { control, promotedFrom: { source: 'diagnose', runRef: `run-${dice.roll(3)}`, status: 'accepted' } }
      : control,
  );
}

/** `reviewable` are the controls that a person may confirm authority by. */
export function generateAuthority(
  dice: Dice,
  reviewable: readonly string[] = [],
): AuthorityRequirement | undefined {
  if (dice.chance(65)) return undefined;
  if (dice.chance(35)) return 'required';
  return {
    ...(dice.chance(30) ? {} : { required: dice.chance(75) }),
    ...(dice.chance(50)
      ? { sources: dice.pick([['master'], ['master', 'ledger'], ['ledger'], ['Master']]) }
      : {}),
    ...(dice.chance(45) ? { attestedBy: dice.pick(CONTROL_IDS) } : {}),
    ...(reviewable.length > 0 && dice.chance(70) ? { confirmedBy: reviewable[0]! } : {}),
  };
}

export function generateMatch(dice: Dice): Match {
  const match: { -readonly [member in keyof Match]: Pattern } = {};
  for (const member of ['system', 'objectType', 'field', 'operation'] as const) {
    if (dice.chance(member === 'system' ? 70 : 25)) match[member] = dice.pick(PATTERNS[member]);
  }
  return match;
}

export function generateUnmatched(dice: Dice): NonNullable<DefaultsDocument['unmatched']> {
  return dice.chance(60) ? 'pause' : { pause: generateMatch(dice) };
}

export function reviewableControls(documents: readonly PolicyDocument[]): string[] {
  return documents.flatMap((document) =>
    document.kind === 'ControlPack'
      ? Object.entries(document.controls).flatMap(([id, { review }]) => (review === undefined ? [] : [id]))
      : [],
  );
}

export function generatePermit(dice: Dice, modes: Climate['modes']): PolicyDocument {
  const writePolicy = dice.pick(modes);
  return {
    kind: 'Profile',
    id: dice.pick(['p-0', 'p-permit']),
    permit: true,
    ...(dice.chance(75) ? { match: generateMatch(dice) } : {}),
    ...(dice.chance(35) ? { when: dice.pick(TEXTS) } : {}),
    ...(writePolicy === undefined || writePolicy === 'block_on_mismatch' ? {} : { writePolicy }),
  };
}

/** Adds copies of a profile, so that about as many rules apply as may: each reading of the modes may have too many. */
export function crowded(dice: Dice, documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  const profile = documents.find((one) => one.kind === 'Profile' && one.permit !== true);
  if (profile === undefined) return documents;
  const observing = dice.roll(6);
  const copies = Array.from({ length: 96 + dice.roll(8) }, (_, at) => ({
    ...profile,
    id: `p-crowd-${at}`,
    ...(at < observing ? { writePolicy: 'observe' as const } : {}),
  })) as readonly PolicyDocument[];
  return [...documents, ...copies];
}

export function generateBundle(dice: Dice): readonly PolicyDocument[] {
  const climate: Climate = {
    modes: dice.pick(CLIMATES),
    onUnmetBlocks: dice.pick([0, 0, 30, 95, 95]),
    onFailedPauses: dice.pick([10, 95]),
  };
  const documents: PolicyDocument[] = [];
  if (dice.chance(6)) return documents;

  const packs = dice.chance(92) ? ['core', 'extra'].slice(0, 1 + dice.roll(2)) : [];
  const defined = CONTROL_IDS.filter((id) => id !== 'unlisted' && dice.chance(92));
  for (const [at, id] of packs.entries()) {
    const controls = Object.fromEntries(
      defined
        .filter((_, index) => index % packs.length === at)
        .map((controlId) => [controlId, generateControl(dice, climate)]),
    );
    documents.push({ kind: 'ControlPack', id, ...(dice.chance(50) ? { version: '3' } : {}), controls });
  }

  const reviewable = reviewableControls(documents);
  if (dice.chance(30)) reviewable.reverse();
  const profileIds = ['p-b', 'p-a', 'p-c', 'p-10'].filter(() => dice.chance(45));
  for (const id of profileIds) {
    const mode = generateMode(dice, climate);
    const blocks = mode.writePolicy === 'block_on_mismatch';
    const drawn = generateAuthority(dice, blocks ? [] : reviewable);
    // A profile that requires no values has none to compare.
    const asksForNone = typeof drawn === 'object' && drawn.required === false;
    const authority = asksForNone && blocks ? { ...drawn, required: true } : drawn;
    documents.push({
      kind: 'Profile',
      id,
      ...(dice.chance(60) ? { version: dice.pick(['1', '2-beta']) } : {}),
      ...(packs.length > 0 && dice.chance(50) ? { controlPack: dice.pick(packs) } : {}),
      ...(dice.chance(75) ? { match: generateMatch(dice) } : {}),
      ...(dice.chance(20) ? { absent: 'skip' as const } : {}),
      ...(dice.chance(35) ? { when: dice.pick(TEXTS) } : {}),
      ...(dice.chance(80) ? { require: generateRequirements(dice) } : {}),
      ...(authority === undefined ? {} : { authority }),
      ...(dice.chance(20) ? { different: dice.pick(DIFFERENT) } : {}),
      ...(dice.chance(5) ? { requester: 'required' as const } : {}),
      ...(dice.chance(20) && !asksForNone
        ? { compare: dice.pick(['number', 'caseless', 'trimmed', 'instant'] as const) }
        : {}),
      ...mode,
    });
  }
  if (dice.chance(15)) documents.push(generatePermit(dice, climate.modes));

  for (const id of ['w1', 'w2'].filter(() => dice.chance(30))) {
    documents.push({
      kind: 'Workflow',
      id,
      ...(dice.chance(30) ? { version: '7' } : {}),
      ...(profileIds.length > 0 && dice.chance(60)
        ? { profiles: profileIds.filter(() => dice.chance(50)) }
        : {}),
      ...(dice.chance(70) ? { require: generateRequirements(dice) } : {}),
      ...generateMode(dice, climate),
    });
  }

  if (dice.chance(50)) {
    const unmatched = dice.chance(50) ? { unmatched: generateUnmatched(dice) } : {};
    documents.push({ kind: 'Defaults', ...generateMode(dice, climate), ...unmatched });
  }
  if (dice.chance(70)) documents.push({ kind: 'EvidenceSource', id: 'signer', keys: { keys: [PUBLIC_KEY] } });
  if (dice.chance(40)) documents.push({ kind: 'EvidenceSource', id: 'okta', keys: { keys: [PUBLIC_KEY] } });
  return [...documents, ...packOfFacts(documents, () => generateFactsControl(dice))];
}

export function generateFactsControl(dice: Dice): ControlDefinition {
  return {
    facts: true,
    assurance: 'attested',
    maxAge: dice.pick(MAX_AGES),
    ...(dice.chance(50) ? { sources: ['signer'] } : {}),
    ...(dice.chance(40) ? { use: 'once' as const } : {}),
    ...(dice.chance(60) ? { bind: 'object' as const } : {}),
  };
}
