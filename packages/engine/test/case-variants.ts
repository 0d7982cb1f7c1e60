/** Ways to change a case a little, and what of it the properties ask about. */
import type { EngineDecision, EvidenceItem, WriteIntent } from '@writecheck/contract';
import { decide, type PolicyDocument, type PolicySnapshot, type Profile } from '@writecheck/engine';
import type { AttestationFacts } from '../src/evidence/facts.ts';
import { snapshotOf } from './differential.ts';
import type { Case } from './generate-intent.ts';

const snapshots = new WeakMap<readonly PolicyDocument[], PolicySnapshot>();
export function cachedSnapshot(documents: readonly PolicyDocument[]): PolicySnapshot {
  let snapshot = snapshots.get(documents);
  if (snapshot === undefined) {
    snapshot = snapshotOf(documents);
    snapshots.set(documents, snapshot);
  }
  return snapshot;
}

export const decideCase = ({ intent, facts, documents, nowMs }: Case): EngineDecision =>
  decide(intent, facts, cachedSnapshot(documents), nowMs);

export const itemsOf = (one: Case): readonly EvidenceItem[] => one.intent.controlEvidence ?? [];
export function withEvidence(
  one: Case,
  items: readonly EvidenceItem[],
  facts: readonly AttestationFacts[],
): Case {
  return { ...one, intent: { ...one.intent, controlEvidence: items }, facts };
}
export function* editItems(
  one: Case,
  edit: (
    item: EvidenceItem,
    facts: AttestationFacts,
  ) => { item: EvidenceItem; facts: AttestationFacts } | null | 'no',
): Generator<Case> {
  const items = itemsOf(one);
  for (const [at, item] of items.entries()) {
    const edited = edit(item, one.facts[at]!);
    if (edited === 'no') continue;
    if (edited === null) yield withEvidence(one, items.toSpliced(at, 1), one.facts.toSpliced(at, 1));
    else yield withEvidence(one, items.with(at, edited.item), one.facts.with(at, edited.facts));
  }
}

/** Variants of a bundle are made once per bundle, because compiling one costs more than many decisions. */
function perBundle(make: (documents: readonly PolicyDocument[]) => readonly (readonly PolicyDocument[])[]) {
  const made = new WeakMap<readonly PolicyDocument[], readonly (readonly PolicyDocument[])[]>();
  return (documents: readonly PolicyDocument[]) => {
    let variants = made.get(documents);
    if (variants === undefined) {
      variants = make(documents);
      made.set(documents, variants);
    }
    return variants;
  };
}

function applyingProfiles({ intent, documents, nowMs }: Case): readonly Profile[] {
  const snapshot = cachedSnapshot(documents);
  const workflow = intent.workflowId === undefined ? undefined : snapshot.workflows.get(intent.workflowId);
  const matching = snapshot
    .matchingProfiles(intent)
    .filter(({ when }) => when === null || when(intent, nowMs) !== 'skips');
  return [...new Set([...(workflow?.profiles ?? []), ...matching])];
}
const enforces = ({ mode }: Profile, nowMs: number): boolean =>
  mode.writePolicy !== 'observe' || (mode.observeUntilMs !== null && nowMs >= mode.observeUntilMs);
const asksForValues = (profile: Profile): boolean =>
  profile.authorityRequired ||
  profile.matchesOnField ||
  profile.compare !== null ||
  profile.mode.writePolicy === 'block_on_mismatch';

/** Whether a profile that enforces is what keeps the intent from an allow, by its own controls or by the values it asks for. */
function isProfilesObjection(one: Case, { controlEvaluations, remediation }: EngineDecision): boolean {
  const unmet = new Set(
    controlEvaluations.filter(({ effect }) => effect !== 'allow').map(({ controlId }) => controlId),
  );
  const authorityFails = remediation?.some(({ gate }) => gate === 'authority') ?? false;
  return applyingProfiles(one).some(
    (profile) =>
      enforces(profile, one.nowMs) &&
      (profile.require.some(({ control }) => unmet.has(control.id)) ||
        (authorityFails && asksForValues(profile))),
  );
}

const AUTHORITY_MEMBERS = ['agentValue', 'authorityFound', 'authorityValue', 'authoritySource'] as const;
const OTHER_MEMBERS = [
  'objectType',
  'objectRef',
  'field',
  'operation',
  'metadata',
  'requiredControls',
  'controlEvidence',
] as const;

export function* leavingOut(one: Case, before: EngineDecision): Generator<Case> {
  if (before.decision === 'allow' || !isProfilesObjection(one, before)) return;
  const asked = applyingProfiles(one).some(asksForValues);
  for (const member of asked ? [...OTHER_MEMBERS, ...AUTHORITY_MEMBERS] : OTHER_MEMBERS) {
    if (one.intent[member] === undefined) continue;
    const { [member]: _left, ...rest } = one.intent;
    const intent = rest as WriteIntent;
    const variant = { ...one, intent, facts: member === 'controlEvidence' ? [] : one.facts };
    // A comparator that comes to apply with a further profile may call the values equal: see `compare`.
    const comparators = (some: Case) =>
      applyingProfiles(some).filter(({ compare }) => compare !== null).length;
    if (comparators(variant) === comparators(one)) yield variant;
  }
}

export const moreProfiles = perBundle((documents) => {
  const profile = (id: string, rest: object) => ({ kind: 'Profile', id, ...rest }) as PolicyDocument;
  return [
    profile('a-new', { require: ['identity'] }),
    profile('z-new', { require: ['unlisted'], authority: 'required', writePolicy: 'block_on_mismatch' }),
    profile('z-new', { match: { field: 'iban' }, writePolicy: 'enforce' }),
    profile('a-new', { authority: { required: false, sources: ['master'], attestedBy: 'approval' } }),
    profile('z-new', { when: '10 / size(intent.objectRef) > 2' }),
    profile('z-new', {}),
  ].map((added) => [...documents, added]);
});

export const observing = perBundle((documents) =>
  documents.flatMap((document, at) => {
    const turns =
      (document.kind === 'Profile' || document.kind === 'Workflow' || document.kind === 'Defaults') &&
      (document.writePolicy === undefined || document.writePolicy === 'enforce');
    return turns ? [documents.with(at, { ...document, writePolicy: 'observe' } as PolicyDocument)] : [];
  }),
);
const withoutSkip = perBundle((documents) => [
  documents.map((document) => {
    if (document.kind !== 'Profile' || document.absent === undefined) return document;
    const { absent: _absent, ...rest } = document;
    return rest;
  }),
]);
export const reordered = perBundle((documents) => [documents.toReversed()]);
export const recompiled = perBundle((documents) => [structuredClone(documents)]);

/** The same case under a bundle in which nobody says `absent: skip`. */
export const unskipped = (one: Case): Case => ({ ...one, documents: withoutSkip(one.documents)[0]! });

export function isValidAttestation(item: EvidenceItem, facts: AttestationFacts, one: Case): boolean {
  if (facts.kind !== 'verified' || facts.revoked || facts.checkedAtMs > one.nowMs + 60_000) return false;
  const control = cachedSnapshot(one.documents).controlOf(item.controlId);
  const bound = facts.boundToDigest || (control.bindObject && facts.boundToObject);
  const alive = facts.expiresAtMs === null ? control.maxAgeMs !== null : facts.expiresAtMs > one.nowMs;
  return bound && alive && !(control.useOnce && facts.usedUp);
}

export function isNamedByAttestedBy(documents: readonly PolicyDocument[], controlId: string): boolean {
  return documents.some(
    (document) =>
      document.kind === 'Profile' &&
      typeof document.authority === 'object' &&
      document.authority.attestedBy === controlId,
  );
}

/** Null where no source of the requirement enforces it. */
export function isEnforced(one: Case, sources: readonly string[]): boolean {
  const snapshot = cachedSnapshot(one.documents);
  return sources.some((source) => {
    if (source === 'request') return true;
    if (source.startsWith('workflow:')) {
      const mode = snapshot.workflows.get(source.slice('workflow:'.length))!.mode;
      return enforces({ mode } as Profile, one.nowMs);
    }
    return applyingProfiles(one).some((profile) => profile.ref === source && enforces(profile, one.nowMs));
  });
}
