/**
 * Lists every reason why a single change may turn a pause or block into an allow. Judges by the documents alone, and
 * only a change with that effect.
 */
import type { EngineDecision } from '@writecheck/contract';
import type { PolicyDocument, ProfileDocument } from '../src/policy/documents.ts';
import { conditionSays } from './conditions.ts';
import type { Case } from './generate-intent.ts';
import { evaluate, factsIn } from './naive-evidence.ts';
import { isWhole, matches, mayPermit, speaksOf } from './naive-text.ts';
import type { Change } from './talk-changes.ts';

interface Loosened {
  readonly one: Case;
  readonly change: Change;
  readonly before: EngineDecision;
}

type Exception = (loosened: Loosened) => boolean;

const enforcing = ({ documents }: Case): readonly ProfileDocument[] =>
  documents.filter((one): one is ProfileDocument => one.kind === 'Profile' && one.writePolicy !== 'observe');

const says = (profile: ProfileDocument, { documents, intent, facts, nowMs }: Case) => {
  const packs = documents.filter((one) => one.kind === 'ControlPack');
  const control = packs.find(({ controls }) => controls.record !== undefined)?.controls.record ?? {};
  const evidence = (intent.controlEvidence ?? []).map((item, at) => ({ item, facts: facts[at]! }));
  return conditionSays(profile, intent, nowMs, factsIn(evaluate(control, 'record', evidence, nowMs)));
};

function applying(one: Case): readonly ProfileDocument[] {
  const named = one.documents.flatMap((document) =>
    document.kind === 'Workflow' &&
    document.id === one.intent.workflowId &&
    document.writePolicy !== 'observe'
      ? (document.profiles ?? [])
      : [],
  );
  return enforcing(one).filter((profile) => {
    if (named.includes(profile.id)) return true;
    if (!matches(profile, one.intent)) return false;
    return says(profile, one) !== 'skips';
  });
}

const covers = (profile: ProfileDocument, one: Case): boolean =>
  matches(profile, one.intent) &&
  (profile.permit === true ? mayPermit(profile, one.intent) : isWhole(profile, one.intent)) &&
  says(profile, one) === 'applies';

const detailsOf = ({ authority }: ProfileDocument) => (typeof authority === 'object' ? authority : {});

function asksForValues({ authority, match, compare, permit, writePolicy }: ProfileDocument): boolean {
  if (authority === 'required' || (authority !== undefined && authority.required !== false)) return true;
  if (match?.field !== undefined && permit !== true && authority === undefined) return true;
  return compare !== undefined || writePolicy === 'block_on_mismatch';
}

/** Whether policy requires the control, or names it for authority. */
function isAskedFor(controlId: string, { one, before }: Loosened): boolean {
  const { requirementProvenance } = before;
  const sources = requirementProvenance.find((some) => some.controlId === controlId)?.sources ?? [];
  if (sources.length > 0) return true;
  return enforcing(one).some((profile) => {
    const { attestedBy, confirmedBy } = detailsOf(profile);
    return attestedBy === controlId || confirmedBy === controlId;
  });
}

const reads = (profile: ProfileDocument, member: string): boolean =>
  profile.when?.includes(`intent.${member}`) === true;

const scopeOf = (documents: readonly PolicyDocument[]) => {
  const defaults = documents.find((one) => one.kind === 'Defaults');
  return typeof defaults?.unmatched === 'object' ? { match: defaults.unmatched.pause } : null;
};

const isOmission = ({ kind }: Change): boolean => kind.startsWith('omits');

export const EXCEPTIONS: { readonly [name: string]: Exception } = {
  'proof: an item for a control that policy requires or names': (loosened) => {
    const { kind, item } = loosened.change;
    const adds = kind === 'adds an item' || kind === 'adds a control with a PASS';
    return adds && isAskedFor(item!.controlId, loosened);
  },
  'proof: facts that a condition reads': ({ one, change }) =>
    change.kind === 'adds an item' &&
    change.item!.controlId === 'record' &&
    enforcing(one).some(({ when }) => when?.includes('facts.record') === true),
  'proof: authority values where they are asked for and need not be attested': ({ one, change, before }) =>
    change.kind === 'adds an authority member' &&
    before.remediation!.some(({ gate }) => gate === 'authority') &&
    !applying(one).some((profile) => detailsOf(profile).attestedBy !== undefined),
  "the caller's own: its required controls": ({ change }) =>
    change.kind === 'omits a member' && change.member === 'requiredControls',
  "the caller's own: an item that is negative or revoked": ({ change }) =>
    change.kind === 'omits an item' &&
    (change.item!.result !== 'PASS' || (change.itemFacts?.kind === 'verified' && change.itemFacts.revoked)),
  "the caller's own: a time or a failing attestation of an item for an asserted control": ({ one, change }) =>
    change.kind === 'omits a member of an item' &&
    ['checkedAt', 'expiresAt', 'attestation'].includes(change.member) &&
    one.documents.every(
      (document) =>
        document.kind !== 'ControlPack' ||
        document.controls[change.item!.controlId]?.assurance !== 'attested',
    ),
  // The contract names only asserted controls. Signed evidence still counts, so this is the caller's own as
  // well.
  "the caller's own: an expiry that it added to a signed item": ({ change }) =>
    change.kind === 'omits a member of an item' &&
    change.member === 'expiresAt' &&
    change.itemFacts?.kind === 'verified',
  "the caller's own: authority members and the value where no profile asks for the values": ({
    one,
    change,
  }) =>
    change.kind === 'omits a member' &&
    (change.member === 'agentValue' || change.member.startsWith('authority')) &&
    !applying(one).some(asksForValues),
  "the caller's own: its workflow": ({ change }) =>
    change.kind === 'omits a member' && change.member === 'workflowId',
  'another write: one of field and operation where both were sent': ({ one, change }) =>
    change.kind === 'omits a member' &&
    (change.member === 'field' || change.member === 'operation') &&
    one.intent.field !== undefined &&
    one.intent.operation !== undefined,
  'saying which: a document about another one no longer matches': ({ one, change }) => {
    if (change.kind !== 'adds a field or operation') return false;
    const scope = scopeOf(one.documents);
    // A permit that no longer matches opens nothing, unless its condition failed.
    const isHeeded = (profile: ProfileDocument) => profile.permit !== true || says(profile, one) === 'error';
    const left = (document: Parameters<typeof matches>[0]) =>
      matches(document, one.intent) && !matches(document, change.variant.intent);
    return (
      (scope !== null && left(scope)) || enforcing(one).some((profile) => left(profile) && isHeeded(profile))
    );
  },
  // The contract says so of permits. A profile that matches on one and reads the other is the same case.
  'saying which: a document that names both now covers': ({ one, change }) =>
    change.kind === 'adds a field or operation' &&
    enforcing(one).some(
      (profile) =>
        speaksOf(profile, 'field') &&
        speaksOf(profile, 'operation') &&
        !covers(profile, one) &&
        covers(profile, change.variant),
    ),
  'a condition that reads the added member': ({ one, change }) =>
    !isOmission(change) && enforcing(one).some((profile) => reads(profile, change.member)),
  // The contract does not name it: an error pauses, and an absent member applies as strictly as its profile
  // can.
  'a condition that failed on what is left out': ({ one, change }) =>
    isOmission(change) &&
    enforcing(one).some((profile) => {
      if (!matches(profile, one.intent) || says(profile, one) !== 'error') return false;
      return reads(profile, change.member) || (change.member === 'metadata' && reads(profile, 'metadata'));
    }),
};

/** Null if nothing excuses it: a hole. */
export function exceptionFor(loosened: Loosened): string | null {
  return Object.keys(EXCEPTIONS).find((name) => EXCEPTIONS[name]!(loosened)) ?? null;
}

/** The property is about bundles in which a profile or workflow enforces. */
export function governs(documents: readonly PolicyDocument[]): boolean {
  return documents.some(
    (one) => (one.kind === 'Profile' || one.kind === 'Workflow') && one.writePolicy !== 'observe',
  );
}
