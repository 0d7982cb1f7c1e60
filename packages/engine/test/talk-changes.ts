/** Every single thing a caller can add to an intent or omit from it, with the effect on evidence bound to it. */
import {
  type AttestationChecks,
  type EvidenceItem,
  type JsonObject,
  NO_ATTESTATION,
  type WriteIntent,
} from '@writecheck/contract';
import { RECORDS } from './conditions.ts';
import type { Case } from './generate-intent.ts';
import { TALK_CONTROLS } from './talk-cases.ts';

export interface Change {
  /** The subject of the change, for counting. */
  readonly kind: ChangeKind;
  /** The member of the intent or of the item. */
  readonly member: string;
  /** The item that is added, removed or changed. */
  readonly item?: EvidenceItem;
  readonly itemFacts?: AttestationChecks;
  readonly variant: Case;
}

export type ChangeKind =
  | 'adds a control'
  | 'adds a control with a PASS'
  | 'adds a workflow'
  | 'adds a field or operation'
  | 'adds an authority member'
  | 'adds an item'
  | 'omits a member'
  | 'omits a path of the metadata'
  | 'omits an item'
  | 'omits a member of an item';

const ELSEWHERE: AttestationChecks = { kind: 'rejected', why: 'it is bound to another intent' };

/** A changed digest invalidates evidence bound to it; a changed object also evidence bound to the object. */
function unbound(facts: readonly AttestationChecks[], objectChanges: boolean): readonly AttestationChecks[] {
  return facts.map((known) => {
    if (known.kind !== 'verified') return known;
    return known.boundToDigest || objectChanges ? ELSEWHERE : known;
  });
}

function withMembers(one: Case, members: Partial<WriteIntent>, objectChanges = false): Case {
  return { ...one, intent: { ...one.intent, ...members }, facts: unbound(one.facts, objectChanges) };
}

function withItems(one: Case, items: readonly EvidenceItem[], facts: readonly AttestationChecks[]): Case {
  return { ...one, intent: { ...one.intent, controlEvidence: items }, facts };
}

const AUTHORITY: readonly Partial<WriteIntent>[] = [
  { authorityFound: true },
  { authorityFound: false },
  { authorityValue: '100' },
  { authorityValue: 'abc' },
  { authoritySource: 'master' },
  { agentValue: '100' },
];
const DIGESTED = [
  'objectType',
  'objectRef',
  'field',
  'operation',
  'agentValue',
  'workflowId',
  'metadata',
] as const;
const SENT_AUTHORITY = ['authorityFound', 'authorityValue', 'authoritySource'] as const;

const isAboutFacts = ({ documents }: Case) =>
  documents.some((one) => one.kind === 'ControlPack' && one.controls.record !== undefined);

export function* additions(one: Case): Generator<Change> {
  const { intent, facts } = one;
  const { requiredControls = [], controlEvidence = [] } = intent;
  for (const controlId of TALK_CONTROLS) {
    const item: EvidenceItem = { controlId, source: 'okta', result: 'PASS' };
    const asking = { ...one, intent: { ...intent, requiredControls: [...requiredControls, controlId] } };
    const items = [...controlEvidence, item];
    const known = [...facts, NO_ATTESTATION];
    yield { kind: 'adds a control', member: 'requiredControls', variant: asking };
    const variant = withItems(asking, items, known);
    yield { kind: 'adds a control with a PASS', member: 'requiredControls', item, variant };
    yield { kind: 'adds an item', member: 'controlEvidence', item, variant: withItems(one, items, known) };
  }
  for (const record of isAboutFacts(one) ? RECORDS : []) {
    const item: EvidenceItem = { controlId: 'record', source: 'signer', result: 'PASS', attestation: 'jws' };
    const known: AttestationChecks = {
      ...{ kind: 'verified', jti: 'read', checkedAtMs: one.nowMs, expiresAtMs: null, boundToDigest: true },
      ...{ boundToObject: false, revoked: false, usedUp: false },
      ...(record === undefined ? {} : { facts: record }),
    };
    const variant = withItems(one, [...controlEvidence, item], [...facts, known]);
    yield { kind: 'adds an item', member: 'controlEvidence', item, itemFacts: known, variant };
  }
  if (intent.workflowId === undefined)
    for (const workflowId of ['w1', 'w9'])
      yield { kind: 'adds a workflow', member: 'workflowId', variant: withMembers(one, { workflowId }) };
  if (intent.field === undefined)
    for (const field of ['iban', 'note', 'name'])
      yield { kind: 'adds a field or operation', member: 'field', variant: withMembers(one, { field }) };
  if (intent.operation === undefined)
    for (const operation of ['ledger.post', 'refund.x'])
      yield {
        kind: 'adds a field or operation',
        member: 'operation',
        variant: withMembers(one, { operation }),
      };
  for (const members of AUTHORITY) {
    const [member] = Object.keys(members) as [keyof WriteIntent];
    if (intent[member] !== undefined) continue;
    yield { kind: 'adds an authority member', member, variant: withMembers(one, members) };
  }
}

export function* omissions(one: Case): Generator<Change> {
  const { intent, facts } = one;
  for (const member of [...DIGESTED, ...SENT_AUTHORITY]) {
    if (intent[member] === undefined) continue;
    const { [member]: _left, ...rest } = intent;
    const isOfObject = member === 'objectType' || member === 'objectRef';
    const variant = { ...one, intent: rest as WriteIntent, facts: unbound(facts, isOfObject) };
    yield { kind: 'omits a member', member, variant };
  }
  if (intent.requiredControls !== undefined) {
    const { requiredControls, ...rest } = intent;
    yield { kind: 'omits a member', member: 'requiredControls', variant: { ...one, intent: rest } };
    for (const at of requiredControls.keys()) {
      const fewer = { ...intent, requiredControls: requiredControls.toSpliced(at, 1) };
      yield { kind: 'omits a member', member: 'requiredControls', variant: { ...one, intent: fewer } };
    }
  }
  const context = intent.metadata?.context as JsonObject | undefined;
  for (const path of Object.keys(context ?? {})) {
    const { [path]: _left, ...rest } = context!;
    const metadata = { ...intent.metadata, context: rest };
    const variant = withMembers(one, { metadata });
    yield { kind: 'omits a path of the metadata', member: `metadata.context.${path}`, variant };
  }
  yield* itemOmissions(one);
}

function* itemOmissions(one: Case): Generator<Change> {
  const { controlEvidence = [] } = one.intent;
  for (const [at, item] of controlEvidence.entries()) {
    const itemFacts = one.facts[at]!;
    const without = withItems(one, controlEvidence.toSpliced(at, 1), one.facts.toSpliced(at, 1));
    yield { kind: 'omits an item', member: 'controlEvidence', item, itemFacts, variant: without };
    for (const member of ['checkedAt', 'expiresAt', 'attestation', 'evidenceRef'] as const) {
      if (item[member] === undefined) continue;
      const { [member]: _left, ...rest } = item;
      // An item without its reference or signature is unknown; one without a time is still known.
      const isBare = member === 'attestation' || (member === 'evidenceRef' && item.source === 'review-desk');
      const facts = isBare ? one.facts.with(at, NO_ATTESTATION) : one.facts;
      const variant = withItems(one, controlEvidence.with(at, rest), facts);
      yield { kind: 'omits a member of an item', member, item, itemFacts, variant };
    }
  }
}
