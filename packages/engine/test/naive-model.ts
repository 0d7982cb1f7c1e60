/**
 * The decision made a second time from the raw documents, slowly and plainly: the engine is compared with it and shares
 * nothing with it.
 */
import type { AttestationChecks, MatchingFreeze, WriteIntent, WritePolicy } from '@writecheck/contract';
import type {
  ControlDefinition,
  DefaultsDocument,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from '../src/policy/documents.ts';
import { conditionSays } from './conditions.ts';
import { authorityGate, authorityRemedies, REMEDIES, type Remedy, type Used } from './naive-authority.ts';
import { withDifferentPeople } from './naive-different.ts';
import {
  checkedAt,
  distrust,
  type Effect,
  type Evidence,
  evaluate,
  FIRST_DEFINITION,
  factsIn,
  fault,
  inShownOrder,
  isOfDesk,
} from './naive-evidence.ts';
import {
  byText,
  durationMs,
  instant,
  isWhole,
  matches,
  mayPermit,
  speaksOf,
  specificity,
} from './naive-text.ts';

type Gate = { readonly code: string; readonly effect: Effect; readonly observed: boolean };

const MODES: readonly WritePolicy[] = ['observe', 'enforce', 'block_on_mismatch'];
const EFFECTS: readonly Effect[] = ['allow', 'pause', 'block'];
const largest = <T>(order: readonly T[], values: readonly T[]): T =>
  order.findLast((candidate) => values.includes(candidate)) ?? (order[0] as T);
const controlOf = (need: Requirement): string => (typeof need === 'string' ? need : need.control);

type Moded = ProfileDocument | WorkflowDocument | DefaultsDocument;
const isModed = (document: PolicyDocument): document is Moded =>
  document.kind === 'Profile' || document.kind === 'Workflow' || document.kind === 'Defaults';

function modeOf(document: Moded | undefined, now: number): WritePolicy {
  const mode = document?.writePolicy ?? 'enforce';
  const over = document?.observeUntil !== undefined && now >= Date.parse(document.observeUntil);
  return mode === 'observe' && over ? 'enforce' : mode;
}

/** Removes observing profiles and workflows. */
const withoutObservers = (documents: readonly PolicyDocument[], now: number) =>
  documents.filter((one) => !isModed(one) || one.kind === 'Defaults' || modeOf(one, now) !== 'observe');

/** Everything that observes enforces. */
const allEnforcing = (documents: readonly PolicyDocument[], now: number) =>
  documents.map((one): PolicyDocument => {
    if (!isModed(one) || modeOf(one, now) !== 'observe') return one;
    const { observeUntil: _until, ...rest } = one;
    return { ...rest, writePolicy: 'enforce' };
  });

interface Given {
  readonly intent: WriteIntent;
  readonly evidence: readonly Evidence[];
  readonly now: number;
  readonly freezes: readonly MatchingFreeze[];
  /** The definition of a control that no pack defines. */
  readonly undefinedControl: ControlDefinition;
  /** Every registered workflow, in any mode. */
  readonly knownWorkflows: readonly string[];
}

function decideBy(documents: readonly PolicyDocument[], given: Given) {
  const { intent, evidence, now, knownWorkflows, undefinedControl } = given;
  const profiles = documents.filter((one) => one.kind === 'Profile').sort((a, b) => byText(a.id, b.id));
  const workflow = documents.find((one) => one.kind === 'Workflow' && one.id === intent.workflowId) as
    | WorkflowDocument
    | undefined;
  const defaults = documents.find((one) => one.kind === 'Defaults');
  const packs = documents.filter((one) => one.kind === 'ControlPack');
  const definition = (id: string) =>
    packs.find((pack) => Object.hasOwn(pack.controls, id))?.controls[id] ?? undefinedControl;
  const asked = intent.requiredControls ?? [];

  // What applies: the workflow, the profiles it names, and those with a fitting match and condition.
  const applying: ProfileDocument[] = [];
  const erring: ProfileDocument[] = [];
  const covering: ProfileDocument[] = [];
  const record = evaluate(definition('record'), 'record', evidence, now);
  const recordFacts = factsIn(record);
  const readers = profiles.filter(
    (one) => matches(one, intent) && one.when?.includes('facts.record') === true,
  );
  for (const profile of profiles) {
    const named = workflow?.profiles?.includes(profile.id) === true;
    const says = matches(profile, intent) ? conditionSays(profile, intent, now, recordFacts) : 'skips';
    if (says === 'error') erring.push(profile);
    const idle = profile.permit && (says === 'unreadable' || !mayPermit(profile, intent));
    if (says === 'applies' && isWhole(profile, intent) && !idle) covering.push(profile);
    if (named || says === 'error' || (says !== 'skips' && !idle)) applying.push(profile);
  }
  // If both are sent, a profile about one of them covers half the write.
  const both = intent.field !== undefined && intent.operation !== undefined;
  const sides = (['field', 'operation'] as const).map((member) =>
    covering.filter(
      (one) => !both || speaksOf(one, member) || !speaksOf(one, member === 'field' ? 'operation' : 'field'),
    ),
  );
  const uncovered = sides.some((side) => side.length === 0);
  const giveBoth = (namesOf: (profile: ProfileDocument) => readonly string[]): readonly string[] => {
    const [ofField, ofOperation] = sides.map((side) => side.flatMap(namesOf));
    return ofField!.filter((name) => ofOperation!.includes(name));
  };
  const isUngoverned = !documents.some(({ kind }) => kind === 'Profile' || kind === 'Workflow');

  // The requirements and their sources; a requirement without a source has the default's mode.
  const sources: { name: string; require: readonly Requirement[] }[] = [];
  if (asked.length > 0) sources.push({ name: 'request', require: asked });
  if (workflow) sources.push({ name: `workflow:${workflow.id}`, require: workflow.require ?? [] });
  for (const { id, version, require = [] } of applying) {
    sources.push({ name: version === undefined ? `profile:${id}` : `profile:${id}@${version}`, require });
  }
  const ofDefault = modeOf(defaults, now);
  const ofRequest: readonly WritePolicy[] = asked.length > 0 ? ['enforce'] : [];
  const moded = [workflow, ...applying.filter(({ permit }) => !permit)].filter((one) => one !== undefined);
  const writePolicy = largest(MODES, [
    ...moded.map((one) => modeOf(one, now)),
    ...(moded.length === 0 ? ofRequest : []),
    ...(moded.length === 0 || uncovered ? [ofDefault] : []),
  ]);
  const all = [...new Set(sources.flatMap(({ require }) => require.map(controlOf)))];
  // More than 100 rules or 500 requirements of theirs are an error: only what blocks counts then.
  const size = sources.reduce((sum, { name, require }) => sum + (name === 'request' ? 0 : require.length), 0);
  const isExcess = applying.length + (workflow ? 1 : 0) > 100 || size > 500;
  const hasItem = (id: string) => evidence.some(({ item }) => item.controlId === id);
  const firstUnmet = all.find((id) => !hasItem(id) && definition(id).onUnmet === 'block');
  const required = isExcess ? all.filter((id) => hasItem(id) || id === firstUnmet) : all;
  const askersOf = (id: string) => {
    const askers = sources.filter(({ require }) => require.some((one) => controlOf(one) === id));
    return isExcess ? askers.slice(0, 1) : askers;
  };
  const first = required.map((controlId) => evaluate(definition(controlId), controlId, evidence, now));

  // The gates, in order.
  const gates: Gate[] = [];
  if (given.freezes.length > 0) gates.push({ code: 'frozen', effect: 'pause', observed: false });
  if (isExcess || erring.length > 0) gates.push({ code: 'policy_error', effect: 'pause', observed: false });
  const scope = defaults?.unmatched === 'pause' ? {} : defaults?.unmatched?.pause;
  if (uncovered && scope !== undefined && matches({ match: scope }, intent)) {
    gates.push({ code: 'policy_unmatched', effect: 'pause', observed: ofDefault === 'observe' });
  }
  const { workflowId } = intent;
  const unknown =
    workflowId !== undefined &&
    !knownWorkflows.includes(workflowId) &&
    (knownWorkflows.length > 0 || (!profiles.length && asked.length === 0));
  if (unknown) gates.push({ code: 'workflow_unknown', effect: 'pause', observed: false });
  // A permit counts as a required control that is satisfied.
  const requiresControls = isUngoverned
    ? asked.length > 0
    : giveBoth(({ require = [], permit }) => (permit ? ['a permit'] : require.map(controlOf))).length > 0;
  const reads = profiles.filter(
    (one) => matches(one, intent) && conditionSays(one, intent, now, recordFacts) !== 'skips',
  );
  const around = {
    isExcess,
    reads,
    given: giveBoth,
    applying,
    requiresControls,
    evidence,
    definition,
    writePolicy,
    now,
  };
  const gate = authorityGate(intent, around);

  // Different people for the controls that profiles name, the confirmation before the others.
  const lists = applying.flatMap(({ different }) => (different === undefined ? [] : [different]));
  const isListed = (controlId: string) => lists.some((list) => list.includes(controlId));
  const confirming = gate.confirming !== null && isListed(gate.confirming.controlId) ? [gate.confirming] : [];
  const satisfied = first.filter(({ controlId, status }) => status === 'satisfied' && isListed(controlId));
  const told = withDifferentPeople(
    [
      ...confirming,
      ...satisfied.map(({ controlId, control, own }) => ({
        controlId,
        good: inShownOrder(own.filter((one) => !fault(control, one, now))),
      })),
    ],
    lists,
  );
  const authority =
    confirming.length === 0 ? gate : authorityGate(intent, { ...around, onlyApproval: told[0]! });
  const evaluations = first.map((one) => {
    const at = satisfied.indexOf(one);
    if (at < 0) return one;
    const chosen = told[at + confirming.length]!;
    return chosen === null
      ? distrust(one)
      : { ...evaluate(one.control, one.controlId, [chosen], now), own: one.own };
  });
  if (authority.code !== null) {
    gates.push({ code: authority.code, effect: authority.effect, observed: writePolicy === 'observe' });
  }
  for (const { evaluation, status } of evaluations) {
    if (status !== 'satisfied')
      gates.push({ code: evaluation.code, effect: evaluation.effect, observed: false });
  }

  const enforcedGates = gates.filter(({ observed }) => !observed);
  const decision = largest(
    EFFECTS,
    enforcedGates.map(({ effect }) => effect),
  );
  const reasonCode = enforcedGates.find(({ effect }) => effect === decision)?.code;
  return {
    ...{ workflow, applying, isExcess, askersOf, required, evaluations, gates, authority, unknown },
    ...{ writePolicy, ofDefault, decision, reasonCode, asked, definition },
    ...{ record, recordFacts, readsRecord: readers.length > 0 },
  };
}

const BY_OPERATOR: Remedy = { gate: 'policy', action: 'operator' };

const boundToDigest = (shown: Evidence | undefined) =>
  shown?.facts.kind === 'verified' && shown.facts.boundToDigest;

export function naiveDecide(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  documents: readonly PolicyDocument[],
  now: number,
  freezes: readonly MatchingFreeze[],
) {
  const evidence = (intent.controlEvidence ?? []).map((item, at): Evidence => ({ item, facts: facts[at]! }));
  const knownWorkflows = documents.flatMap((one) => (one.kind === 'Workflow' ? [one.id] : []));
  const undefinedControl = documents.length === 0 ? FIRST_DEFINITION : {};
  const given = { intent, evidence, now, freezes, knownWorkflows, undefinedControl };
  const real = decideBy(withoutObservers(documents, now), given);
  const ideal = decideBy(allEnforcing(documents, now), given);
  const { decision, writePolicy } = real;
  const evaluatedDecision = ideal.decision;
  const enforced = writePolicy !== 'observe' || real.unknown || freezes.length > 0;

  // What is shown: what the evaluated reading requires, and in excess first everything that decides.
  const shownIds = ideal.isExcess ? [...new Set([...real.required, ...ideal.required])] : ideal.required;
  const shown = shownIds.map((id) => {
    const isIn = (one: typeof real) => one.required.includes(id);
    const evaluated = (isIn(ideal) ? ideal : real).evaluations.find(({ controlId }) => controlId === id)!;
    return { ...evaluated, askers: (ideal.isExcess && isIn(real) ? real : ideal).askersOf(id) };
  });

  // What opens both: every gate that objects in one of them, unless an observing default lets it through.
  const both = [ideal, real];
  const objects = (code: string) =>
    both.some(({ gates }) => gates.some((gate) => gate.code === code && !gate.observed));
  const signers = documents.flatMap((one) =>
    one.kind === 'EvidenceSource' && one.keys.keys.length > 0 ? [one.id] : [],
  );
  const attestable = (control: ControlDefinition, attested: boolean) =>
    attested && !(control.sources ?? signers).some((source) => signers.includes(source))
      ? 'operator'
      : 'supply';
  const supplyOf = (control: ControlDefinition) =>
    control.review !== undefined ? 'supply' : attestable(control, control.assurance === 'attested');
  const { record, recordFacts, readsRecord } = ideal;
  const remedies: Remedy[] = [];
  if (readsRecord && recordFacts === null)
    remedies.push({ gate: 'policy', controlId: 'record', action: 'inform' });
  for (const _freeze of freezes) remedies.push({ gate: 'freeze', action: 'operator' });
  for (const code of ['policy_error', 'policy_unmatched']) if (objects(code)) remedies.push(BY_OPERATOR);
  if (real.unknown || ideal.unknown) remedies.push({ gate: 'workflow', action: 'correct' });
  const authority = authorityRemedies(
    both.filter((one) => one.writePolicy !== 'observe').map((one) => one.authority),
    real.authority,
    attestable,
    // Other members change the digest, so evidence bound to it no longer counts.
    readsRecord && recordFacts !== null && boundToDigest(record.shown),
  );
  remedies.push(...authority.remedies);
  const unbound = ({ item, facts: known }: Evidence): Evidence => {
    const lost = known.kind === 'verified' && known.boundToDigest;
    return { item, facts: lost ? { kind: 'rejected', why: 'another digest' } : known };
  };
  for (const { controlId, control, own, status } of shown) {
    if (status !== 'satisfied') {
      const action = REMEDIES[status] ?? supplyOf(control);
      remedies.push({ gate: 'control', controlId, action });
    } else if (authority.changes && own.every((one) => fault(control, unbound(one), now))) {
      remedies.push({ gate: 'control', controlId, action: 'supply' });
    }
  }

  // Nothing that a caller sends makes fewer rules apply.
  const isPolicyAlone = real.isExcess && real.reasonCode === 'policy_error';

  // Whether a person could resolve a pause: the controls to approve, if the caller can supply everything else.
  const forPerson: string[] = [];
  let isHopeless = real.gates.some(
    ({ code, observed }) => !observed && /^(frozen$|policy_|workflow_)/.test(code),
  );
  if (real.authority.code !== null && real.writePolicy !== 'observe') {
    // Anything else that opens this gate changes the write that would be approved.
    if (real.authority.awaits !== undefined) forPerson.push(real.authority.awaits);
    else isHopeless = true;
  }
  for (const { controlId, control, status } of real.evaluations) {
    if (status === 'satisfied') continue;
    if (REMEDIES[status] !== undefined) isHopeless = true;
    else if (control.review !== undefined) forPerson.push(controlId);
    else if (supplyOf(control) !== 'supply') isHopeless = true;
  }
  const isForPerson = decision === 'pause' && !isHopeless && forPerson.length > 0;

  // What an allow rests on, and until when it holds: nothing that only observes.
  const used: Used[] = [...real.authority.used];
  for (const { control, shown, status } of real.evaluations) {
    if (status === 'satisfied') used.push({ control, shown: shown! });
  }
  if (real.readsRecord && recordFacts !== null) used.push({ control: record.control, shown: record.shown! });
  const ends = used.flatMap(({ control, shown }) => [
    control.maxAge === undefined ? Infinity : checkedAt(shown)! + durationMs(control.maxAge),
    shown.item.expiresAt === undefined ? Infinity : instant(shown.item.expiresAt)!,
    shown.facts.kind === 'verified' ? (shown.facts.expiresAtMs ?? Infinity) : Infinity,
  ]);
  // Observing rules that apply, including the default if something is left to it. No allow outlives its
  // observation.
  const ids = new Set(ideal.applying.map(({ id }) => id));
  const leftToDefault = real.writePolicy === 'observe' || real.gates.some(({ observed }) => observed);
  const observers = documents.filter(
    (one): one is Moded =>
      isModed(one) &&
      modeOf(one, now) === 'observe' &&
      (one.kind === 'Profile'
        ? ids.has(one.id)
        : one.kind === 'Workflow'
          ? one.id === intent.workflowId
          : leftToDefault),
  );
  for (const { observeUntil } of observers)
    if (observeUntil !== undefined) ends.push(Date.parse(observeUntil));
  // A caller governs itself only until the first rule enforces.
  const rules = documents.filter((one): one is Moded => one.kind === 'Profile' || one.kind === 'Workflow');
  if (rules.every((one) => modeOf(one, now) === 'observe'))
    for (const { observeUntil } of rules) if (observeUntil !== undefined) ends.push(Date.parse(observeUntil));
  const attestations = (uses: readonly Used[]) => {
    const list = uses.flatMap(({ shown: { item, facts: known } }) =>
      known.kind === 'verified' ? [{ source: item.source, jti: known.jti }] : [],
    );
    list.sort((a, b) => byText(a.source, b.source) || byText(a.jti, b.jti));
    return list.filter((one, at) => one.source !== list[at - 1]?.source || one.jti !== list[at - 1]?.jti);
  };

  const best = [...ideal.applying].sort((a, b) => specificity(b) - specificity(a))[0];
  return {
    decision,
    evaluatedDecision,
    reasonCode: (decision === 'allow' ? ideal : real).reasonCode ?? 'requirements_met',
    requiredControls: shownIds,
    controlEvaluations: shown.map(({ evaluation }) => evaluation),
    profileProvenance: {
      profileId: best?.id,
      profileVersion: best?.version,
      controlPackId: best?.controlPack,
      source: ideal.workflow ? 'workflow' : best ? 'match' : ideal.asked.length > 0 ? 'request' : 'default',
    },
    requirementProvenance: shown.map(({ controlId, askers }) => ({
      controlId,
      sources: askers.map(({ name }) => name),
      diagnosePromotion: askers
        .flatMap(({ require }) => require)
        .flatMap((need) =>
          typeof need !== 'string' && need.control === controlId ? (need.promotedFrom ?? []) : [],
        )
        .at(0),
    })),
    writePolicy,
    observeMode: observers.length > 0,
    enforced,
    warn: decision !== evaluatedDecision,
    failClosed: enforced,
    validUntil: decision === 'allow' ? Math.min(now + 300_000, ...ends) : undefined,
    remediation:
      decision === 'allow' && evaluatedDecision === 'allow'
        ? undefined
        : isPolicyAlone
          ? [BY_OPERATOR]
          : remedies,
    review: isForPerson ? { controls: [...new Set(forPerson)] } : undefined,
    facts: readsRecord
      ? [
          {
            controlId: 'record',
            status: record.status !== 'satisfied' ? record.status : recordFacts === null ? 'missing' : 'used',
            source: record.evaluation.source,
            checkedAt: record.evaluation.checkedAt,
          },
        ]
      : undefined,
    consumes:
      decision === 'allow'
        ? attestations(used.filter(({ control, shown }) => control.use === 'once' || isOfDesk(shown)))
        : [],
    restsOn: attestations(used),
  };
}
