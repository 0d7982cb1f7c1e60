/** Ways to change a case slightly, and which parts the properties check. */
import type { AttestationChecks, EngineDecision, EvidenceItem, WriteIntent } from '@writecheck/contract';
import {
  decide,
  type PolicyDocument,
  type PolicySnapshot,
  type Profile,
  RecordFacts,
  type Workflow,
} from '@writecheck/engine';
import { gives } from '../src/cover.ts';
import { resolveRequirements } from '../src/resolve-requirements.ts';
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

export const decideCase = ({ intent, facts, documents, nowMs, freezes = [] }: Case): EngineDecision =>
  decide(intent, facts, cachedSnapshot(documents), nowMs, { freezes });

export const itemsOf = (one: Case): readonly EvidenceItem[] => one.intent.controlEvidence ?? [];
export function withEvidence(
  one: Case,
  items: readonly EvidenceItem[],
  facts: readonly AttestationChecks[],
): Case {
  return { ...one, intent: { ...one.intent, controlEvidence: items }, facts };
}
export function* editItems(
  one: Case,
  edit: (
    item: EvidenceItem,
    facts: AttestationChecks,
  ) => { item: EvidenceItem; facts: AttestationChecks } | null | 'no',
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

const enforces = ({ mode }: Pick<Profile, 'mode'>, nowMs: number): boolean =>
  mode.writePolicy !== 'observe' || (mode.observeUntilMs !== null && nowMs >= mode.observeUntilMs);

/** The registered workflow, if it enforces. */
function enforcingWorkflow({ intent, documents, nowMs }: Case): Workflow | undefined {
  const { workflows } = cachedSnapshot(documents);
  const workflow = intent.workflowId === undefined ? undefined : workflows.get(intent.workflowId);
  return workflow !== undefined && enforces(workflow, nowMs) ? workflow : undefined;
}

/** The profiles that enforce, which alone decide. */
function enforcingProfiles(one: Case): readonly Profile[] {
  const { intent, documents, nowMs } = one;
  const snapshot = cachedSnapshot(documents);
  const { of } = new RecordFacts({ items: itemsOf(one), facts: one.facts, nowMs }, snapshot);
  const matching = snapshot
    .matchingProfiles(intent)
    .filter(({ when }) => when === null || when(intent, nowMs, undefined, of) !== 'skips');
  const applying = new Set([...(enforcingWorkflow(one)?.profiles ?? []), ...matching]);
  return [...applying].filter((profile) => enforces(profile, nowMs));
}
const asksForValues = (profile: Profile): boolean =>
  profile.authorityRequired ||
  profile.asksByField ||
  profile.compare !== null ||
  profile.mode.writePolicy === 'block_on_mismatch';

/** Whether an enforcing profile prevents an allow, by its own controls or by the values it requires. */
function isProfilesObjection(one: Case, { controlEvaluations, reasonCode }: EngineDecision): boolean {
  const unmet = new Set(
    controlEvaluations.filter(({ effect }) => effect !== 'allow').map(({ controlId }) => controlId),
  );
  const authorityFails = reasonCode.startsWith('authority_');
  return enforcingProfiles(one).some(
    (profile) =>
      profile.require.some(({ control }) => unmet.has(control.id)) ||
      (authorityFails && asksForValues(profile)),
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
  const asked = enforcingProfiles(one).some(asksForValues);
  for (const member of asked ? [...OTHER_MEMBERS, ...AUTHORITY_MEMBERS] : OTHER_MEMBERS) {
    if (one.intent[member] === undefined) continue;
    const { [member]: _left, ...rest } = one.intent;
    const intent = rest as WriteIntent;
    const variant = { ...one, intent, facts: member === 'controlEvidence' ? [] : one.facts };
    // A comparator that applies because of another profile may treat the values as equal: see `compare`.
    const comparators = (some: Case) =>
      enforcingProfiles(some).filter(({ compare }) => compare !== null).length;
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
    profile('z-new', { permit: true }),
  ].map((added) => [...documents, added]);
});

/** Added observing profiles, of every kind that would change a decision if it enforced. */
export const moreObservers = perBundle((documents) => {
  // A first bundle is more than an observer: before it, a person may approve every control.
  if (documents.length === 0) return [];
  const observer = (rest: object) =>
    ({ kind: 'Profile', id: 'm-watch', writePolicy: 'observe', ...rest }) as PolicyDocument;
  return [
    observer({}),
    observer({ authority: { sources: ['master'], attestedBy: 'approval' }, compare: 'caseless' }),
    observer({ require: ['approval', 'unlisted'], when: '10 / size(intent.objectRef) > 2' }),
  ].map((added) => [...documents, added]);
});

const isObserver = (document: PolicyDocument): boolean =>
  'writePolicy' in document && document.writePolicy === 'observe';

export const hasObservers = ({ documents }: Case): boolean => documents.some(isObserver);

/** Removes each permanently observing profile, and everything that a permanently observing workflow requires. */
export const fewerObservers = perBundle((documents) =>
  documents.flatMap((document, at): (readonly PolicyDocument[])[] => {
    if (documents.length === 1) return [];
    if (!isObserver(document) || ('observeUntil' in document && document.observeUntil !== undefined))
      return [];
    if (document.kind === 'Workflow') {
      const names = documents.some(
        (one) =>
          one.kind === 'Profile' && document.profiles?.includes(one.id) && one.observeUntil !== undefined,
      );
      // The announced end of an observation bounds every allow to which it applies.
      if (names) return [];
      return [documents.with(at, { kind: 'Workflow', id: document.id, writePolicy: 'observe' })];
    }
    if (document.kind !== 'Profile') return [];
    const rest = documents.toSpliced(at, 1);
    return [
      rest.map((one) =>
        one.kind === 'Workflow' && one.profiles !== undefined
          ? { ...one, profiles: one.profiles.filter((id) => id !== document.id) }
          : one,
      ),
    ];
  }),
);

/** Whether a covering profile requires a control, for `field` and `operation` in the same way; a permit requires none. */
export function isRequiredByCover(
  { intent, documents, nowMs }: Case,
  reading: 'enforced' | 'evaluated',
): boolean {
  const { cover } = resolveRequirements(intent, cachedSnapshot(documents), nowMs)[reading];
  return gives(cover, ({ require }) => require.map(({ control }) => control.id));
}

export const hasRules = ({ documents }: Case): boolean =>
  documents.some(({ kind }) => kind === 'Profile' || kind === 'Workflow');

export const hasEnforcingRules = ({ documents, nowMs }: Case): boolean =>
  nowMs >= cachedSnapshot(documents).rulesEnforceFromMs;

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

/** The same case under a bundle without `absent: skip`. */
export const unskipped = (one: Case): Case => ({ ...one, documents: withoutSkip(one.documents)[0]! });

export function isValidAttestation(item: EvidenceItem, facts: AttestationChecks, one: Case): boolean {
  if (facts.kind !== 'verified' || facts.revoked || facts.checkedAtMs > one.nowMs + 60_000) return false;
  const control = cachedSnapshot(one.documents).controlOf(item.controlId);
  const bound = facts.boundToDigest || (control.bindObject && facts.boundToObject);
  const alive = facts.expiresAtMs === null ? control.maxAgeMs !== null : facts.expiresAtMs > one.nowMs;
  return bound && alive && !(control.useOnce && facts.usedUp);
}

/** Whether a profile that permits applies and enforces. */
export function isPermitted(one: Case): boolean {
  return enforcingProfiles(one).some(({ permit }) => permit);
}

export function isNamedByAuthority(documents: readonly PolicyDocument[], controlId: string): boolean {
  return documents.some(
    (document) =>
      document.kind === 'Profile' &&
      typeof document.authority === 'object' &&
      (document.authority.attestedBy === controlId || document.authority.confirmedBy === controlId),
  );
}

/** Whether a source of the requirement enforces it. */
export function isEnforced(one: Case, sources: readonly string[]): boolean {
  const refs = [enforcingWorkflow(one)?.ref, ...enforcingProfiles(one).map(({ ref }) => ref)];
  return sources.some((source) => source === 'request' || refs.includes(source));
}
