/** Sentences a person can act on: which gate, what was found, what would satisfy it. */
import { type ControlEvaluation, parseInstant, shortened, type WriteIntent } from '@writecheck/contract';
import type { AuthorityOutcome, AuthorityProblem } from './evaluate-authority.ts';
import type { EvaluatedControl } from './evaluate-control.ts';
import type { Control, Profile } from './policy/snapshot.ts';

export function explainAllow(controlCount: number, authority: AuthorityOutcome): string {
  if (controlCount === 0) return 'The authority was found and holds the proposed value.';
  const controls =
    controlCount === 1
      ? 'The required control is satisfied'
      : `All ${controlCount} required controls are satisfied`;
  if (!authority.applies) return `${controls}.`;
  const compared = authority.warnings.length === 0;
  return `${controls}, and the authority was found${compared ? ' and holds the proposed value' : ''}.`;
}

export function explainObservingDefault(): string {
  return "Allowed because the workspace's default mode is observe; the policies that apply do not object.";
}

export function explainUnmatched(): string {
  return 'No enforced profile or workflow applies to this intent, and the workspace pauses what its policies do not cover; an operator can add a profile for it.';
}

export function explainPolicyError(erred: readonly Profile[]): string {
  const names = erred.map(({ id }) => quote(id)).join(', ');
  return `The condition of profile ${names} could not be evaluated for this intent, so it counts as not met; an operator must look at the condition.`;
}

export function explainUnknownWorkflow(workflowId: string): string {
  return `Workflow ${quote(workflowId)} is not registered in this workspace; name a registered workflow, or have an operator register this one.`;
}

export function explainAuthority(problem: AuthorityProblem, { authoritySource }: WriteIntent): string {
  const unconfirmed = 'Current authority could not be confirmed';
  switch (problem.kind) {
    case 'not_found':
      return problem.stated
        ? `${unconfirmed}: the caller reports that no authority was found; look the value up in its authoritative source and send what it holds.`
        : `${unconfirmed}: \`authorityFound\` was not sent; look the value up in its authoritative source and send what it holds.`;
    case 'source_not_accepted': {
      const { source, accepted } = problem;
      const found =
        source === undefined
          ? 'no `authoritySource` was sent'
          : `${quote(source)} is not an accepted authority source`;
      return `${unconfirmed}: ${found}; ${accepted.length === 0 ? 'the policies that apply have no accepted source in common' : `accepted is ${oneOf(accepted)}`}.`;
    }
    case 'not_attested':
      return `${unconfirmed}: it must be attested by control ${quote(problem.control.id)}. ${explainControl(problem.control, problem.evaluated, true)}`;
    case 'value_missing':
      return `${unconfirmed}: \`${problem.member}\` was not sent, and the values must be compared; send it.`;
    case 'mismatch':
      return `The proposed value ${quote(problem.agentValue)} differs from ${quote(problem.authorityValue)}, which ${
        authoritySource === undefined ? 'the authoritative source' : quote(authoritySource)
      } holds; write the authority's value, or have the authority corrected first.`;
  }
}

export function explainControl(
  control: Control,
  { evaluation, distrust }: EvaluatedControl,
  attested?: true,
): string {
  const id = quote(control.id);
  const source = quote(evaluation.source ?? '');
  const want = `supply ${describeNeed(control, attested)}`;
  switch (evaluation.status) {
    case 'satisfied':
      return `Control ${id} is satisfied.`;
    case 'missing':
      return `Control ${id} has no evidence; ${want}.`;
    case 'failed':
      return `Control ${id} failed: ${source} reports FAIL; resolve what the check found before asking again.`;
    case 'revoked':
      return `Evidence for control ${id} from ${source} was revoked; stop, and have the check made anew.`;
    case 'unrecognized':
      return `Control ${id} has a result that is none of PASS, FAIL and REVOKED: ${source} reports ${quote(evaluation.result ?? '')}${spellingHint(evaluation)}; send one of these three, in upper case.`;
    case 'stale':
      return evaluation.checkedAt === undefined
        ? `Evidence for control ${id} from ${source} does not say when it was checked; ${want}.`
        : `Evidence for control ${id} from ${source}, checked at ${evaluation.checkedAt}, ${
            hasOffset(evaluation.checkedAt) ? 'is too old' : 'does not say in which time zone that was'
          }; ${want}.`;
    case 'expired':
      return `Evidence for control ${id} from ${source} has expired; ${want}.`;
    case 'untrusted':
      return `Evidence for control ${id} from ${source} is not trusted: ${distrust ?? 'it does not meet what the control asks'}; ${want}.`;
  }
}

function hasOffset(checkedAt: string): boolean {
  return parseInstant(checkedAt)?.hasOffset === true;
}

function spellingHint({ result }: ControlEvaluation): string {
  return result !== undefined && /^(pass|fail|revoked)$/i.test(result) ? ', which is not the same word' : '';
}

/** What would satisfy a control, as the object of "supply". */
export function describeNeed(control: Control, attested = control.assurance === 'attested'): string {
  const parts = [attested ? 'an attested PASS' : 'a PASS'];
  if (control.sources !== null) parts.push(`from ${oneOf(control.sources)}`);
  if (control.maxAgeMs !== null) parts.push(`checked within the last ${describeDuration(control.maxAgeMs)}`);
  return parts.join(' ');
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? quote(names[0]!) : `one of ${names.map(quote).join(', ')}`;
}

function describeDuration(ms: number): string {
  for (const [unitMs, unit] of [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const) {
    if (ms >= unitMs && ms % unitMs === 0) return plural(ms / unitMs, unit);
  }
  return plural(ms / 1000, 'second');
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** In backticks, shortened, with everything that would not be seen (or would end the quote) written as its code point. */
export function quote(text: string): string {
  const shown = Array.from(shortened(text), (point) =>
    isInvisible(point) ? `\\u{${point.codePointAt(0)!.toString(16)}}` : point,
  );
  return `\`${shown.join('')}\``;
}

function isInvisible(point: string): boolean {
  return point === '`' || (point !== ' ' && /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(point));
}
