/** Judges one reading of the modes: which gates object, what decision follows, and which gate gives the reason. */
import { DECISIONS, type Decision, type Gate, type ReasonCode, type WriteIntent } from '@writecheck/contract';
import { haveLimitErrors, limitsBeyond } from './apply-limits.ts';
import type { Circumstances } from './circumstances.ts';
import type { FactsOf } from './conditions/compiled-condition.ts';
import {
  type AuthorityOutcome,
  authorityObjection,
  awaitsConfirmation,
  codeOf,
} from './evaluate-authority.ts';
import type { EvaluatedControl } from './evaluate-control.ts';
import {
  explainAllow,
  explainAuthority,
  explainControl,
  explainExcess,
  explainLimit,
  explainLimitErrors,
  explainObservingDefault,
  explainPolicyError,
  explainUnknownWorkflow,
  explainUnmatched,
} from './explain.ts';
import type { ModeReading } from './resolve-requirements.ts';

/** A gate that does not allow. Gates that allow do not object. */
interface Objection {
  readonly effect: Decision;
  readonly enforced: boolean;
  readonly code: ReasonCode;
  readonly gate: Gate;
  /** Set for the control gate. */
  readonly controlId?: string;
  readonly explain: () => string;
}

/** One reading of the modes, judged. */
export interface Judgement {
  readonly decision: Decision;
  /** The gate that decided; undefined on an allow. */
  readonly decidedBy: Objection | undefined;
  /** Includes those that an observing default lets through. */
  readonly objections: readonly Objection[];
}

export function judge(
  reading: ModeReading,
  authority: AuthorityOutcome,
  controls: readonly EvaluatedControl[],
  intent: WriteIntent,
  { freezes }: Circumstances,
  facts: FactsOf,
): Judgement {
  const { excess, erredProfiles, unknownWorkflowId, writePolicy, limits } = reading;
  const objections: Objection[] = [];
  const object = (
    gate: Gate,
    code: ReasonCode,
    explain: () => string,
    effect: Decision = 'pause',
    enforced = true,
  ): void => {
    objections.push({ effect, enforced, code, gate, explain });
  };
  const [oldest] = freezes;
  if (oldest !== undefined) object('freeze', 'frozen', () => oldest.reason);
  if (excess !== null) object('policy', 'policy_error', () => explainExcess(excess));
  else if (erredProfiles.length > 0)
    object('policy', 'policy_error', () => explainPolicyError(erredProfiles, intent, facts));
  if (haveLimitErrors(limits))
    object('policy', 'policy_error', () => explainLimitErrors(limits, intent, facts));
  if (reading.isUnmatched)
    object('policy', 'policy_unmatched', explainUnmatched, 'pause', reading.defaultPolicy !== 'observe');
  if (unknownWorkflowId !== null)
    object('workflow', 'workflow_unknown', () => explainUnknownWorkflow(unknownWorkflowId));
  for (const one of limitsBeyond(limits)) {
    const { beyond } = one.limit;
    if (beyond !== 'require') object('limit', one.code!, () => explainLimit(one), beyond);
  }
  const problem = authorityObjection(authority);
  if (problem !== undefined) {
    const isBlock = problem.kind === 'mismatch' && writePolicy === 'block_on_mismatch';
    const explain = () => explainAuthority(problem, intent, awaitsConfirmation(authority));
    object('authority', codeOf(problem), explain, isBlock ? 'block' : 'pause', writePolicy !== 'observe');
  }
  for (let index = 0; index < controls.length; index += 1) {
    const evaluated = controls[index]!;
    const { effect, code } = evaluated.evaluation;
    if (code === 'CONTROL_SATISFIED') continue;
    objections.push({
      effect,
      enforced: true,
      code,
      gate: 'control',
      controlId: evaluated.control.id,
      explain: () => explainControl(evaluated.control, evaluated),
    });
  }
  const enforced = objections.length === 0 ? objections : objections.filter((one) => one.enforced);
  const decision = strictest(enforced);
  return { decision, decidedBy: enforced.find(({ effect }) => effect === decision), objections };
}

function strictest(objections: readonly Objection[]): Decision {
  let decision: Decision = 'allow';
  for (const { effect } of objections) {
    if (DECISIONS.indexOf(effect) > DECISIONS.indexOf(decision)) decision = effect;
  }
  return decision;
}

export function reasonFor(
  verdict: Judgement,
  ideal: Judgement,
  { permit, requirements }: ModeReading,
  authority: AuthorityOutcome,
): string {
  if (verdict.decidedBy !== undefined) return verdict.decidedBy.explain();
  if (ideal.decidedBy !== undefined) {
    return `Allowed because the policies that object only observe; enforced, they would ${ideal.decision}: ${ideal.decidedBy.explain()}`;
  }
  // An observing default let something through that the observed policies would not even require.
  if (verdict.objections.length > 0) return explainObservingDefault();
  return explainAllow(requirements.length, authority, permit);
}
