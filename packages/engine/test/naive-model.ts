/** The decision once more, straight from the raw documents, slow and plain: the engine is held against it and shares nothing with it. */
import type { WriteIntent, WritePolicy } from '@writecheck/contract';
import type { AttestationFacts } from '../src/evidence/facts.ts';
import type {
  ControlDefinition,
  DefaultsDocument,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from '../src/policy/documents.ts';
import { CONDITIONS } from './conditions.ts';
import { authorityGate, REMEDIES, type Remedy, type Used } from './naive-authority.ts';
import { checkedAt, type Effect, type Evidence, evaluate, fault } from './naive-evidence.ts';
import { byText, durationMs, instant, matches, specificity } from './naive-text.ts';

type Gate = { readonly code: string; readonly effect: Effect; readonly observed: boolean };

const MODES: readonly WritePolicy[] = ['observe', 'enforce', 'block_on_mismatch'];
const EFFECTS: readonly Effect[] = ['allow', 'pause', 'block'];
const largest = <T>(order: readonly T[], values: readonly T[]): T =>
  order.findLast((candidate) => values.includes(candidate)) ?? (order[0] as T);
const controlOf = (need: Requirement): string => (typeof need === 'string' ? need : need.control);

function modeOf(document: ProfileDocument | WorkflowDocument | DefaultsDocument | undefined, now: number) {
  const mode = document?.writePolicy ?? 'enforce';
  const over = document?.observeUntil !== undefined && now >= Date.parse(document.observeUntil);
  return mode === 'observe' && over ? 'enforce' : mode;
}

export function naiveDecide(
  intent: WriteIntent,
  facts: readonly AttestationFacts[],
  documents: readonly PolicyDocument[],
  now: number,
) {
  const profiles = documents.filter((one) => one.kind === 'Profile').sort((a, b) => byText(a.id, b.id));
  const workflows = documents.filter((one) => one.kind === 'Workflow');
  const defaults = documents.find((one) => one.kind === 'Defaults');
  const packs = documents.filter((one) => one.kind === 'ControlPack');
  const signers = documents.flatMap((one) =>
    one.kind === 'EvidenceSource' && one.keys.keys.length > 0 ? [one.id] : [],
  );
  const definition = (id: string) =>
    packs.find((pack) => Object.hasOwn(pack.controls, id))?.controls[id] ?? {};
  const evidence = (intent.controlEvidence ?? []).map((item, at): Evidence => ({ item, facts: facts[at]! }));
  const asked = intent.requiredControls ?? [];

  // What applies: the registered workflow, the profiles it names, and those whose match and condition say so.
  const workflow = workflows.find(({ id }) => id === intent.workflowId);
  const applying: ProfileDocument[] = [];
  const erring: ProfileDocument[] = [];
  for (const profile of profiles) {
    if (workflow?.profiles?.includes(profile.id)) applying.push(profile);
    else if (matches(profile, intent)) {
      const says = profile.when === undefined ? 'applies' : CONDITIONS[profile.when]!(intent, now);
      if (says !== 'skips') applying.push(profile);
      if (says === 'error') erring.push(profile);
    }
  }
  const unmatched = workflow === undefined && applying.length === 0;

  // What is required, by whom, and in which mode.
  const sources: { name: string; mode: WritePolicy; require: readonly Requirement[] }[] = [];
  if (asked.length > 0) sources.push({ name: 'request', mode: 'enforce', require: asked });
  if (workflow) {
    const { id, require = [] } = workflow;
    sources.push({ name: `workflow:${id}`, mode: modeOf(workflow, now), require });
  }
  for (const profile of applying) {
    const { id, version, require = [] } = profile;
    const name = version === undefined ? `profile:${id}` : `profile:${id}@${version}`;
    sources.push({ name, mode: modeOf(profile, now), require });
  }
  const modes = sources.map(({ mode }) => mode);
  const writePolicy = largest(MODES, unmatched ? [...modes, modeOf(defaults, now)] : modes);
  const required = [...new Set(sources.flatMap(({ require }) => require.map(controlOf)))];
  const askers = required.map((id) =>
    sources.filter(({ require }) => require.some((one) => controlOf(one) === id)),
  );
  const evaluations = required.map((controlId) => evaluate(definition(controlId), controlId, evidence, now));

  // The gates, in the order in which they are named, and what would open them.
  const gates: Gate[] = [];
  const remedies: Remedy[] = [];
  if (erring.length > 0) {
    const observed = erring.every((profile) => modeOf(profile, now) === 'observe');
    gates.push({ code: 'policy_error', effect: 'pause', observed });
    remedies.push({ gate: 'policy', action: 'operator' });
  }
  if (unmatched && defaults?.unmatched === 'pause') {
    gates.push({ code: 'policy_unmatched', effect: 'pause', observed: writePolicy === 'observe' });
    remedies.push({ gate: 'policy', action: 'operator' });
  }

  const named = intent.workflowId !== undefined;
  const unknown = named && workflow === undefined && (workflows.length > 0 || asked.length === 0);
  if (unknown) {
    gates.push({ code: 'workflow_unknown', effect: 'pause', observed: false });
    remedies.push({ gate: 'workflow', action: 'correct' });
  }

  const supplyOf = (control: ControlDefinition, attested: boolean) =>
    attested && !(control.sources ?? signers).some((source) => signers.includes(source))
      ? 'operator'
      : 'supply';
  const requiresControls = required.length > 0;
  const around = { applying, requiresControls, evidence, definition, supplyOf, writePolicy, now };
  const authority = authorityGate(intent, around);
  if (authority.code !== null) {
    gates.push({ code: authority.code, effect: authority.effect, observed: writePolicy === 'observe' });
    remedies.push(...authority.remedies);
  }

  const unbound = ({ item, facts: known }: Evidence): Evidence => {
    const lost = known.kind === 'verified' && known.boundToDigest;
    return { item, facts: lost ? { kind: 'rejected', why: 'another digest' } : known };
  };
  for (const [at, { controlId, control, own, status, evaluation }] of evaluations.entries()) {
    const { code, effect } = evaluation;
    if (status !== 'satisfied') {
      const action = REMEDIES[status] ?? supplyOf(control, control.assurance === 'attested');
      gates.push({ code, effect, observed: askers[at]!.every(({ mode }) => mode === 'observe') });
      remedies.push({ gate: 'control', controlId, action });
    } else if (authority.changes && own.every((one) => fault(control, unbound(one), now))) {
      remedies.push({ gate: 'control', controlId, action: 'supply' });
    }
  }

  // The result: the maximum over what is enforced, and over everything.
  const enforcedGates = gates.filter(({ observed }) => !observed);
  const decision = largest(
    EFFECTS,
    enforcedGates.map(({ effect }) => effect),
  );
  const evaluatedDecision = largest(
    EFFECTS,
    gates.map(({ effect }) => effect),
  );
  const told = decision === 'allow' ? gates : enforcedGates;
  const maximum = decision === 'allow' ? evaluatedDecision : decision;
  const enforced = writePolicy !== 'observe' || unknown;

  // What it rests on, and until when it holds.
  const used: Used[] = [...authority.used];
  for (const { control, shown, status } of evaluations) {
    if (status === 'satisfied') used.push({ control, shown: shown! });
  }
  const ends = used.flatMap(({ control, shown }) => [
    control.maxAge === undefined ? Infinity : checkedAt(shown)! + durationMs(control.maxAge),
    shown.item.expiresAt === undefined ? Infinity : instant(shown.item.expiresAt)!,
    shown.facts.kind === 'verified' ? (shown.facts.expiresAtMs ?? Infinity) : Infinity,
  ]);
  // An allow over an objection that is only observed lasts no longer than the first of the observations.
  if (evaluatedDecision !== 'allow') {
    for (const source of [workflow, ...applying, unmatched && asked.length === 0 ? defaults : undefined]) {
      if (source?.observeUntil !== undefined && modeOf(source, now) === 'observe')
        ends.push(Date.parse(source.observeUntil));
    }
  }
  const attestations = (uses: readonly Used[]) => {
    const list = uses.flatMap(({ shown: { item, facts: known } }) =>
      known.kind === 'verified' ? [{ source: item.source, jti: known.jti }] : [],
    );
    list.sort((a, b) => byText(a.source, b.source) || byText(a.jti, b.jti));
    return list.filter((one, at) => one.source !== list[at - 1]?.source || one.jti !== list[at - 1]?.jti);
  };

  const best = [...applying].sort((a, b) => specificity(b) - specificity(a))[0];
  return {
    decision,
    evaluatedDecision,
    reasonCode: told.find(({ effect }) => effect === maximum)?.code ?? 'requirements_met',
    requiredControls: required,
    controlEvaluations: evaluations.map(({ evaluation }) => evaluation),
    profileProvenance: {
      profileId: best?.id,
      profileVersion: best?.version,
      controlPackId: best?.controlPack,
      source: workflow ? 'workflow' : best ? 'match' : asked.length > 0 ? 'request' : 'default',
    },
    requirementProvenance: required.map((controlId, at) => ({
      controlId,
      sources: askers[at]!.map(({ name }) => name),
      diagnosePromotion: askers[at]!.flatMap(({ require }) => require)
        .flatMap((need) =>
          typeof need !== 'string' && need.control === controlId ? (need.promotedFrom ?? []) : [],
        )
        .at(0),
    })),
    writePolicy,
    observeMode: (sources.length > 0 ? modes : [writePolicy]).includes('observe'),
    enforced,
    warn: decision !== evaluatedDecision,
    failClosed: enforced,
    validUntil: decision === 'allow' ? Math.min(now + 300_000, ...ends) : undefined,
    remediation: evaluatedDecision === 'allow' ? undefined : remedies,
    consumes: decision === 'allow' ? attestations(used.filter(({ control }) => control.use === 'once')) : [],
    restsOn: attestations(used),
  };
}
