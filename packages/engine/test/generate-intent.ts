/** Seeded intents with their attestation facts, mostly a good case with a few blemishes, many of them exactly on a boundary. */
import type { EvidenceItem, JsonObject, WriteIntent } from '@writecheck/contract';
import { type AttestationFacts, NO_ATTESTATION } from '../src/evidence/facts.ts';
import type { ControlDefinition, PolicyDocument } from '../src/policy/documents.ts';
import type { Dice } from './dice.ts';
import { BASE_MS, CONTROL_IDS, SOURCES } from './generate-bundle.ts';

export interface Case {
  readonly documents: readonly PolicyDocument[];
  readonly intent: WriteIntent;
  /** One per evidence item. */
  readonly facts: readonly AttestationFacts[];
  readonly nowMs: number;
}

/** An item before it is written down: what it says, and how it says it. */
interface Draft {
  controlId: string;
  source: string;
  result: string;
  ageMs: number | null;
  checkedForm: 'utc' | 'offset' | 'fine' | 'local';
  expiresInMs: number | null;
  expiresForm: 'utc' | 'local';
  evidenceRef: string | null;
  attestation: 'none' | 'rejected' | 'unlooked' | 'verified';
  checkedInClaimOnly: boolean;
  attestationExpiresInMs: number | null;
  boundToDigest: boolean;
  boundToObject: boolean;
  revoked: boolean;
  usedUp: boolean;
  jti: string;
}

const edges = (ms: number): readonly number[] => [ms - 1, ms, ms + 1];
const AGES_MS = [0, 1000, ...edges(60_000), ...edges(900_000), ...edges(3_600_000), 86_400_000];
const AHEAD_MS = [-1, ...edges(-60_000), -3_600_000];
const EXPIRIES_MS = [...edges(0), 1000, 250_000, 3_600_000, -86_400_000];
const RESULTS = ['FAIL', 'FAIL', 'REVOKED', 'pass', 'PASS ', 'OK', 'fail'] as const;
const VALUES = [
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

function goodDraft(dice: Dice, controlId: string, control: ControlDefinition): Draft {
  const attested = control.assurance === 'attested' || dice.chance(12);
  return {
    controlId,
    source: dice.pick(control.sources ?? SOURCES),
    result: 'PASS',
    ageMs:
      control.maxAge === undefined && dice.chance(30) ? null : dice.pick([0, 1000, 30_000, 59_999, 60_000]),
    checkedForm: dice.pick(['utc', 'utc', 'offset', 'fine']),
    expiresInMs: dice.chance(20) ? dice.pick([1, 1000, 250_000, 3_600_000]) : null,
    expiresForm: 'utc',
    evidenceRef: dice.chance(20) ? dice.pick(['ref-1', 'ref-2']) : null,
    attestation: attested ? 'verified' : 'none',
    checkedInClaimOnly: dice.chance(20),
    attestationExpiresInMs:
      control.maxAge !== undefined && dice.chance(40) ? null : dice.pick([1, 200_000, 400_000]),
    boundToDigest: control.bind !== 'object' || dice.chance(30),
    boundToObject: control.bind === 'object',
    revoked: false,
    usedUp: false,
    jti: dice.pick(['j1', 'j2', 'j3']),
  };
}

const BLEMISHES = 14;

function blemish(dice: Dice, draft: Draft, which: number): void {
  switch (which) {
    case 0:
    case 13:
      draft.result = 'FAIL';
      return;
    case 1:
      draft.result = dice.chance(40) ? 'pass' : dice.pick(RESULTS);
      return;
    case 2:
      draft.ageMs = 86_400_000;
      return;
    case 3:
    case 4:
      draft.ageMs = dice.pick(AGES_MS);
      return;
    case 5:
      draft.ageMs = dice.pick(AHEAD_MS);
      return;
    case 6:
      if (dice.chance(50)) draft.ageMs = null;
      else draft.checkedForm = 'local';
      return;
    case 7:
      draft.expiresInMs = dice.chance(50) ? 0 : dice.pick(EXPIRIES_MS);
      if (dice.chance(20)) draft.expiresForm = 'local';
      return;
    case 8:
      draft.source = dice.pick(SOURCES);
      return;
    case 9:
      draft.attestation = dice.pick(['none', 'rejected', 'unlooked', 'verified']);
      return;
    case 10:
      draft.boundToDigest = dice.chance(50);
      draft.boundToObject = dice.chance(50);
      return;
    case 11:
      if (dice.chance(50)) draft.revoked = true;
      else draft.usedUp = true;
      return;
    default:
      draft.attestationExpiresInMs = dice.pick([null, -1, 0, 1]);
  }
}

/** Written by hand: a Date per timestamp would dominate the run. */
const wholeSeconds = new Map<number, string>();
function utcSecond(second: number): string {
  let text = wholeSeconds.get(second);
  if (text === undefined) {
    text = new Date(second * 1000).toISOString().slice(0, 19);
    wholeSeconds.set(second, text);
  }
  return text;
}

function write(atMs: number, form: Draft['checkedForm']): string {
  const second = Math.floor(atMs / 1000);
  const fraction = `.${String(atMs - second * 1000).padStart(3, '0')}`;
  switch (form) {
    case 'utc':
      return `${utcSecond(second)}${fraction}Z`;
    case 'offset':
      return `${utcSecond(second + 7200)}${fraction}+02:00`;
    case 'fine':
      return `${utcSecond(second)}${fraction}999Z`;
    case 'local':
      return `${utcSecond(second)}${fraction}`;
  }
}

function settle(draft: Draft, at: number, nowMs: number): { item: EvidenceItem; facts: AttestationFacts } {
  const checkedAtMs = nowMs - (draft.ageMs ?? 1000);
  const verified = draft.attestation === 'verified';
  // A verified item says nothing else than its claims: where it names a time, it names that one.
  const silent =
    draft.ageMs === null || (verified && (draft.checkedInClaimOnly || draft.checkedForm === 'local'));
  const item: EvidenceItem = {
    controlId: draft.controlId,
    source: draft.source,
    result: draft.result,
    ...(silent ? {} : { checkedAt: write(checkedAtMs, draft.checkedForm) }),
    ...(draft.expiresInMs === null ? {} : { expiresAt: write(nowMs + draft.expiresInMs, draft.expiresForm) }),
    ...(draft.evidenceRef === null ? {} : { evidenceRef: draft.evidenceRef }),
    ...(draft.attestation === 'none' ? {} : { attestation: `jws-${at}` }),
  };
  if (draft.attestation === 'rejected') return { item, facts: { kind: 'rejected', why: 'signature' } };
  if (!verified) return { item, facts: NO_ATTESTATION };
  const { jti, boundToDigest, boundToObject, revoked, usedUp } = draft;
  const expiresAtMs = draft.attestationExpiresInMs === null ? null : nowMs + draft.attestationExpiresInMs;
  return {
    item,
    facts: { kind: 'verified', jti, checkedAtMs, expiresAtMs, boundToDigest, boundToObject, revoked, usedUp },
  };
}

type Authority = Pick<WriteIntent, 'agentValue' | 'authorityFound' | 'authorityValue' | 'authoritySource'>;

function generateAuthority(dice: Dice): Authority {
  if (dice.chance(72)) {
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
  const controls = new Map<string, ControlDefinition>(CONTROL_IDS.map((id) => [id, {}]));
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
    // One flaw throughout shows what a miss comes to by itself, scattered ones show which of several wins.
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
    return { documents, intent, facts, nowMs };
  };
}
