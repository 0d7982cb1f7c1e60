/** Seeded intents for a bundle: mostly a good case with a few flaws. */
import type { AttestationChecks, JsonObject, MatchingFreeze, WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument } from '../src/policy/documents.ts';
import type { Dice } from './dice.ts';
import { BASE_MS, CONTROL_IDS } from './generate-bundle.ts';
import { BLEMISHES, blemish, type Draft, goodDraft, settle } from './generate-evidence.ts';
import { FIRST_DEFINITION } from './naive-evidence.ts';

export interface Case {
  readonly documents: readonly PolicyDocument[];
  readonly intent: WriteIntent;
  /** One per evidence item. */
  readonly facts: readonly AttestationChecks[];
  readonly nowMs: number;
  /** None if omitted. */
  readonly freezes?: readonly MatchingFreeze[];
}

export const VALUES = [
  '100',
  '100.0',
  '0100',
  '-0',
  '0',
  'ABC',
  'abc',
  ' abc',
  'abc\t',
  '\u00a0abc',
  'e\u0301',
  '\u00e9',
];
const INSTANTS = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:00:00+01:00',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.0001Z',
  '2026-01-01T00:00:00',
];

type Authority = Pick<WriteIntent, 'agentValue' | 'authorityFound' | 'authorityValue' | 'authoritySource'>;

function generateAuthority(dice: Dice): Authority {
  if (dice.chance(80)) {
    const value = dice.pick(VALUES);
    return {
      agentValue: value,
      authorityFound: true,
      authorityValue: value,
      authoritySource: dice.pick(['master', 'ledger']),
    };
  }
  if (dice.chance(30)) return dice.chance(50) ? { agentValue: dice.pick(VALUES) } : {};
  const values = dice.chance(25) ? INSTANTS : VALUES;
  return {
    ...(dice.chance(80) ? { agentValue: dice.pick(values) } : {}),
    ...(dice.chance(85) ? { authorityFound: dice.chance(85) } : {}),
    ...(dice.chance(80) ? { authorityValue: dice.pick(values) } : {}),
    ...(dice.chance(75) ? { authoritySource: dice.pick(['master', 'ledger', 'MASTER', 'hearsay']) } : {}),
  };
}

function generateMetadata(dice: Dice): JsonObject {
  return {
    agent: 'a',
    context: {
      ...(dice.chance(80) ? { amount: dice.pick([0, 499.5, 500, 1000, 1000.5, 5000, 'much', true]) } : {}),
      ...(dice.chance(80) ? { tier: dice.pick(['gold', 'basic', 3]) } : {}),
      ...(dice.chance(80)
        ? {
            due: dice.pick([
              new Date(BASE_MS - 3_600_000).toISOString(),
              new Date(BASE_MS).toISOString(),
              'tomorrow',
              '2026-13-01',
              5,
            ]),
          }
        : {}),
    },
  };
}

function controlsOf(documents: readonly PolicyDocument[]): ReadonlyMap<string, ControlDefinition> {
  const plain = documents.length === 0 ? FIRST_DEFINITION : {};
  const controls = new Map<string, ControlDefinition>(CONTROL_IDS.map((id) => [id, plain]));
  for (const document of documents) {
    if (document.kind !== 'ControlPack') continue;
    for (const [id, control] of Object.entries(document.controls)) controls.set(id, control);
  }
  return controls;
}

/** Makes intents for one bundle; the bundle is read once. */
export function intentGenerator(documents: readonly PolicyDocument[]): (dice: Dice) => Case {
  const controls = controlsOf(documents);
  return (dice) => {
    const nowMs = BASE_MS + dice.pick([0, 0, 0, 1, -1]);
    const drafts: Draft[] = [];
    for (const [id, control] of controls) if (!dice.chance(4)) drafts.push(goodDraft(dice, id, control));
    for (let extra = dice.pick([0, 0, 1, 2]); extra > 0; extra -= 1) {
      const id = dice.pick(CONTROL_IDS);
      drafts.push(goodDraft(dice, id, controls.get(id) ?? {}));
    }
    // One flaw throughout shows the effect of a miss alone; scattered ones show which of several wins.
    if (dice.chance(55)) {
      const which = dice.roll(BLEMISHES);
      for (const draft of drafts) if (dice.chance(60)) blemish(dice, draft, which);
    } else if (drafts.length > 0) {
      for (let flaws = dice.pick([0, 0, 0, 1, 2, 5]); flaws > 0; flaws -= 1) {
        blemish(dice, dice.pick(drafts), dice.roll(BLEMISHES));
      }
    }
    const evidence = drafts.map((draft, at) => settle(draft, at, nowMs));
    if (evidence.length > 0 && dice.chance(5)) evidence.push(dice.pick(evidence));
    if (dice.chance(50)) evidence.reverse();

    const asked = dice.chance(30) ? CONTROL_IDS.filter(() => dice.chance(35)) : undefined;
    const intent: WriteIntent = {
      system: dice.pick(['erp', 'ERP', 'erp', 'crm', 'hr']),
      ...(dice.chance(85) ? { objectType: dice.pick(['vendor', 'VENDOR', 'invoice']) } : {}),
      ...(dice.chance(85) ? { objectRef: dice.pick(['v-1', 'v-123456', '', 'v1']) } : {}),
      ...(dice.chance(80) ? { field: dice.pick(['iban', 'account_number', 'name']) } : {}),
      ...(dice.chance(70) ? { operation: dice.pick(['vendor.update', 'vendor.create', 'invoice.pay']) } : {}),
      ...(dice.chance(25) ? { workflowId: dice.pick(['w1', 'w1', 'w2', 'w2', 'w9', 'W1']) } : {}),
      ...generateAuthority(dice),
      ...(asked === undefined ? {} : { requiredControls: dice.chance(10) ? [...asked, ...asked] : asked }),
      ...(dice.chance(98) ? { controlEvidence: evidence.map(({ item }) => item) } : {}),
      ...(dice.chance(70) ? { metadata: generateMetadata(dice) } : {}),
    };
    const facts = intent.controlEvidence === undefined ? [] : evidence.map(({ facts: known }) => known);
    if (!dice.chance(6)) return { documents, intent, facts, nowMs };
    const freezes = [
      { id: 'frz_1', reason: 'stop' },
      { id: 'frz_2', reason: 'stop it all' },
    ];
    return { documents, intent, facts, nowMs, freezes: dice.chance(50) ? freezes : freezes.slice(1) };
  };
}
