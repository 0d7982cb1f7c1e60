/**
 * Bundles and intents that nearly allow: small vocabularies, good evidence, and overlapping rules, so that one
 * small change could open a gate.
 */
import type { WriteIntent } from '@writecheck/contract';
import type {
  AuthorityRequirement,
  ControlDefinition,
  Match,
  PolicyDocument,
  ProfileDocument,
} from '../src/policy/documents.ts';
import { CONDITIONS, FACTS_CONDITIONS, packOfFacts } from './conditions.ts';
import type { Dice } from './dice.ts';
import { BASE_MS, generateFactsControl, PUBLIC_KEY } from './generate-bundle.ts';
import { BLEMISHES, blemish, goodDraft, settle } from './generate-evidence.ts';
import type { Case } from './generate-intent.ts';

export const TALK_CONTROLS = ['identity', 'approval', 'dual', 'invented'] as const;
const DEFINED: readonly (readonly [string, readonly ControlDefinition[]])[] = [
  ['identity', [{}, { maxAge: '15m' }, { sources: ['okta'] }]],
  ['approval', [{ assurance: 'attested', review: true }, { assurance: 'attested', bind: 'object' }, {}]],
  ['dual', [{ assurance: 'attested', review: true }, { maxAge: '1h' }]],
];
const MATCHES: { readonly [member in keyof Match]-?: readonly (string | readonly string[])[] } = {
  system: ['erp', 'e*', ['erp', 'crm']],
  objectType: ['vendor', ['vendor', 'ledger'], '*'],
  field: ['iban', 'note', '*'],
  operation: ['ledger.post', 'refund.*', '*'],
};
const TEXTS = Object.keys(CONDITIONS);
const FACTS_TEXTS = Object.keys(FACTS_CONDITIONS);

function drawMatch(dice: Dice): Match {
  const match: { -readonly [member in keyof Match]: Match[member] } = {};
  const chances = { system: 75, objectType: 25, field: 35, operation: 35 };
  for (const member of ['system', 'objectType', 'field', 'operation'] as const)
    if (dice.chance(chances[member])) match[member] = dice.pick(MATCHES[member]);
  return match;
}

function drawAuthority(dice: Dice, reviewable: readonly string[]): AuthorityRequirement | undefined {
  const drawn = dice.roll(12);
  if (drawn < 5) return undefined;
  if (drawn < 6) return 'required';
  if (drawn < 8) return { required: false };
  if (drawn < 9) return { required: dice.chance(60), sources: ['master'] };
  if (drawn < 10) return { required: dice.chance(60), attestedBy: 'approval' };
  return reviewable.length === 0 ? 'required' : { required: true, confirmedBy: dice.pick(reviewable) };
}

function drawProfile(dice: Dice, id: string, reviewable: readonly string[]): ProfileDocument {
  const base = {
    kind: 'Profile',
    id,
    ...(dice.chance(85) ? { match: drawMatch(dice) } : {}),
    ...(dice.chance(40) ? { when: dice.pick(dice.chance(35) ? FACTS_TEXTS : TEXTS) } : {}),
  } as const;
  const mode = dice.roll(10);
  if (dice.chance(18)) return { ...base, permit: true, ...(mode === 0 ? { writePolicy: 'observe' } : {}) };
  const authority = drawAuthority(dice, mode === 1 ? [] : reviewable);
  const asksForNone = typeof authority === 'object' && authority.required === false;
  return {
    ...base,
    ...(dice.chance(25) ? { absent: 'skip' } : {}),
    ...(dice.chance(65)
      ? { require: TALK_CONTROLS.filter((one) => dice.chance(one === 'invented' ? 8 : 40)) }
      : {}),
    ...(authority === undefined ? {} : { authority }),
    ...(dice.chance(25) && !asksForNone ? { compare: dice.pick(['number', 'caseless', 'trimmed']) } : {}),
    ...(dice.chance(10) ? { different: ['approval', 'dual'] } : {}),
    ...(mode === 0 ? { writePolicy: 'observe' } : {}),
    ...(mode === 1 && !asksForNone ? { writePolicy: 'block_on_mismatch' } : {}),
  };
}

export function talkBundle(dice: Dice): readonly PolicyDocument[] {
  const controls = Object.fromEntries(DEFINED.map(([id, ways]) => [id, dice.pick(ways)]));
  const reviewable = Object.keys(controls).filter((id) => controls[id]!.review !== undefined);
  const ids = ['p-a', 'p-b', 'p-c'].slice(0, 1 + dice.roll(3));
  const profiles = dice.chance(4) ? [] : ids.map((id) => drawProfile(dice, id, reviewable));
  const nameable = profiles.filter(({ permit }) => permit !== true).map(({ id }) => id);
  const rest: PolicyDocument[] = [];
  if (dice.chance(50) || profiles.length === 0)
    rest.push({
      kind: 'Workflow',
      id: 'w1',
      profiles: nameable.filter(() => dice.chance(60)),
      require: TALK_CONTROLS.filter(() => dice.chance(25)),
      ...(dice.chance(10) ? { writePolicy: 'observe' } : {}),
    });
  if (dice.chance(65))
    rest.push({
      kind: 'Defaults',
      ...(dice.chance(60) ? { unmatched: dice.chance(70) ? 'pause' : { pause: drawMatch(dice) } } : {}),
      ...(dice.chance(25) ? { writePolicy: dice.pick(['observe', 'block_on_mismatch'] as const) } : {}),
    });
  return [
    { kind: 'ControlPack', id: 'core', controls },
    { kind: 'EvidenceSource', id: 'signer', keys: { keys: [PUBLIC_KEY] } },
    ...profiles,
    ...rest,
    ...packOfFacts(profiles, () => generateFactsControl(dice)),
  ];
}

const ALIKE = [
  ['100', '100'],
  ['100', '100'],
  ['100', '100.0'],
  ['abc', 'ABC'],
  ['abc', ' abc'],
  ['1', '2'],
] as const;

function drawMembers(dice: Dice): WriteIntent {
  const [agentValue, authorityValue] = dice.pick(ALIKE);
  const speaks = dice.roll(4);
  const showsAuthority = dice.chance(50);
  const context = {
    ...(dice.chance(85) ? { amount: dice.pick([20, 20, 5000, 'much']) } : {}),
    ...(dice.chance(85) ? { tier: dice.pick(['gold', 'basic', 3]) } : {}),
    ...(dice.chance(85) ? { due: dice.pick([new Date(BASE_MS - 7_200_000).toISOString(), 'tomorrow']) } : {}),
  };
  return {
    system: dice.pick(['erp', 'erp', 'erp', 'crm']),
    ...(dice.chance(85) ? { objectType: dice.pick(['vendor', 'ledger']) } : {}),
    ...(dice.chance(85) ? { objectRef: dice.pick(['v-1', '']) } : {}),
    ...(speaks === 0 ? {} : { field: dice.pick(['iban', 'note', 'name']) }),
    ...(speaks === 1 ? {} : { operation: dice.pick(['ledger.post', 'refund.x', 'vendor.update']) }),
    ...(dice.chance(12) ? { workflowId: dice.pick(['w1', 'w9']) } : {}),
    ...(dice.chance(75) ? { agentValue } : {}),
    ...(showsAuthority && dice.chance(85) ? { authorityFound: dice.chance(90) } : {}),
    ...(showsAuthority && dice.chance(85) ? { authorityValue } : {}),
    ...(showsAuthority && dice.chance(60)
      ? { authoritySource: dice.pick(['master', 'master', 'hearsay']) }
      : {}),
    ...(dice.chance(15) ? { requiredControls: TALK_CONTROLS.filter(() => dice.chance(40)) } : {}),
    ...(dice.chance(75) ? { metadata: { agent: 'a', context } } : {}),
  };
}

export function talkIntents(documents: readonly PolicyDocument[]): (dice: Dice) => Case {
  const pack = documents.find((document) => document.kind === 'ControlPack');
  const record = documents.find((one) => one.kind === 'ControlPack' && one.id === 'records');
  const facts = record?.kind === 'ControlPack' ? record.controls.record : undefined;
  return (dice) => {
    const evidence = TALK_CONTROLS.filter((id) => id !== 'invented' && dice.chance(80)).map((id, at) => {
      const draft = goodDraft(dice, id, pack?.controls[id] ?? {});
      if (dice.chance(8)) blemish(dice, draft, dice.roll(BLEMISHES));
      return settle(draft, at, BASE_MS);
    });
    if (facts !== undefined && dice.chance(85)) {
      const draft = goodDraft(dice, 'record', facts);
      if (dice.chance(8)) blemish(dice, draft, dice.roll(BLEMISHES));
      evidence.push(settle({ ...draft, source: 'signer' }, evidence.length, BASE_MS));
    }
    // Beside a good item, only a negative one prevents the allow.
    if (dice.chance(8))
      evidence.push(settle({ ...goodDraft(dice, 'identity', {}), result: 'FAIL' }, evidence.length, BASE_MS));
    const intent = { ...drawMembers(dice), controlEvidence: evidence.map(({ item }) => item) };
    return { documents, intent, facts: evidence.map(({ facts }) => facts), nowMs: BASE_MS };
  };
}
