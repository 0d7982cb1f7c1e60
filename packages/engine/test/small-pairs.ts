/** Pairs of tiny bundles about one system, which differ in one profile, and intents for them that are mostly good. */
import { NO_ATTESTATION, type WriteIntent } from '@writecheck/contract';
import type { PolicyDocument, ProfileDocument } from '../src/policy/documents.ts';
import type { Dice } from './dice.ts';
import { BASE_MS } from './generate-bundle.ts';
import type { Case } from './generate-intent.ts';

type Loose<T> = { -readonly [K in keyof T]?: T[K] | undefined };
const CONTROLS = ['a', 'b'];

export function smallPair(dice: Dice): readonly [readonly PolicyDocument[], readonly PolicyDocument[]] {
  const shared: PolicyDocument[] = [];
  if (dice.chance(50)) shared.push({ kind: 'Defaults', unmatched: 'pause' });
  if (dice.chance(50)) shared.push({ kind: 'Workflow', id: 'w1', require: ['a'] });
  for (const id of ['p', 'q'].filter(() => dice.chance(50))) shared.push(smallProfile(dice, id));
  const before = dice.chance(70) ? [smallProfile(dice, 'r')] : [];
  const after = dice.chance(85) ? [smallProfile(dice, 'r', before[0])] : [];
  return [
    [...shared, ...before],
    [...shared, ...after],
  ];
}

/** Similar to another profile in most members. */
function smallProfile(dice: Dice, id: string, like?: ProfileDocument): ProfileDocument {
  const drawn = draw(dice, id);
  const profile: Loose<ProfileDocument> = like === undefined ? drawn : { ...like };
  const members = ['match', 'when', 'permit', 'require', 'authority', 'compare', 'absent'] as const;
  if (like !== undefined) {
    const member = dice.pick(members);
    Object.assign(profile, { [member]: drawn[member] });
  }
  if (profile.permit === true) for (const member of members.slice(3)) profile[member] = undefined;
  return JSON.parse(JSON.stringify(profile)) as ProfileDocument;
}

function draw(dice: Dice, id: string): Loose<ProfileDocument> {
  return {
    kind: 'Profile',
    id,
    match: {
      system: 'erp',
      ...(dice.chance(20) ? { objectType: 'vendor' } : {}),
      ...(dice.chance(40) ? { field: dice.pick(['iban', '*']) } : {}),
      ...(dice.chance(40) ? { operation: dice.pick(['pay', '*']) } : {}),
    },
    when: dice.chance(25)
      ? dice.pick([
          'intent.field == "iban"',
          'intent.field in ["iban", "name"]',
          'intent.operation == "pay"',
          'intent.operation != "close"',
          `intent.metadata.n ${dice.pick(['>', '>='])} ${dice.pick(['1.0', '2', '0.5'])}`,
          `intent.field == "iban" && intent.metadata.n > ${dice.pick(['1.0', '1.5'])}`,
        ])
      : undefined,
    permit: dice.chance(20) ? true : undefined,
    require: dice.chance(80) ? CONTROLS.filter(() => dice.chance(50)) : undefined,
    authority: dice.pick([undefined, undefined, 'required', { required: false }] as const),
    compare: dice.chance(15) ? 'trimmed' : undefined,
    absent: dice.chance(15) ? 'skip' : undefined,
  };
}

export function smallCase(dice: Dice): Case {
  const controlEvidence = CONTROLS.filter(() => dice.chance(90)).map((controlId) => ({
    ...{ controlId, source: 'desk', result: 'PASS' },
  }));
  const intent: WriteIntent = {
    system: 'erp',
    ...(dice.chance(80) ? { objectType: 'vendor' } : {}),
    ...(dice.chance(60) ? { field: dice.pick(['iban', 'name']) } : {}),
    ...(dice.chance(60) ? { operation: dice.pick(['pay', 'close']) } : {}),
    ...(dice.chance(60) ? { metadata: { n: dice.pick([1, 2]) } } : {}),
    ...(dice.chance(20) ? { workflowId: dice.pick(['w1', 'w9']) } : {}),
    ...(dice.chance(30) ? { requiredControls: [dice.pick(CONTROLS)] } : {}),
    ...(dice.chance(30)
      ? {
          agentValue: 'x',
          authorityFound: true,
          authorityValue: dice.pick(['x', 'x ']),
          authoritySource: 'm',
        }
      : {}),
    controlEvidence,
  };
  return { documents: [], intent, facts: controlEvidence.map(() => NO_ATTESTATION), nowMs: BASE_MS };
}
