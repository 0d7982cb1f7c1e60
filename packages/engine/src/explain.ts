/** Sentences that a person can act on: which gate, what was found, what would satisfy it. */
import {
  type ControlEvaluation,
  DAY_MS,
  DURATION_PATTERN,
  HOUR_MS,
  MINUTE_MS,
  parseInstant,
  shortened,
  type WriteIntent,
} from '@writecheck/contract';
import { type JudgedLimit, LIMITS_ON_INTENT_MAX } from './apply-limits.ts';
import type { Excess } from './collect-requirements.ts';
import type { FactsOf } from './conditions/compiled-condition.ts';
import { faultOfTimes, type TimeRead } from './conditions/times-read.ts';
import { type AuthorityOutcome, type AuthorityProblem, isConfirmed } from './evaluate-authority.ts';
import type { EvaluatedControl } from './evaluate-control.ts';
import { REQUIREMENTS_ON_INTENT_MAX, RULES_ON_INTENT_MAX } from './intent-limits.ts';
import { isNobodys } from './policy/nobody.ts';
import type { Control, Profile } from './policy/snapshot.ts';
import type { Purpose } from './why-untrusted.ts';

export function explainAllow(
  controlCount: number,
  authority: AuthorityOutcome,
  permit: Profile | null = null,
): string {
  const parts: string[] = [];
  if (controlCount > 0)
    parts.push(
      controlCount === 1
        ? 'the required control is satisfied'
        : `all ${controlCount} required controls are satisfied`,
    );
  else if (permit !== null) parts.push(`profile ${quote(permit.id)} permits this kind of write`);
  if (authority.applies) parts.push(explainGoodAuthority(authority));
  const text = parts.join(', and ');
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function explainGoodAuthority(authority: AuthorityOutcome): string {
  if (authority.confirmation !== null && isConfirmed(authority))
    return `a person confirmed the authority in review ${quote(reviewOf(authority.confirmation))}`;
  const compared = authority.warnings.length === 0;
  return `the authority was found${compared ? ' and holds the proposed value' : ''}`;
}

/** The id of the review that an approval belongs to; never who approved it. */
function reviewOf({ facts }: EvaluatedControl): string {
  return facts.kind === 'verified' ? facts.jti.split(':', 1)[0]! : '';
}

export function explainObservingDefault(): string {
  return "Allowed because the workspace's default mode is observe; the policies that apply do not object.";
}

export function explainUnmatched(): string {
  return 'No enforced profile covers this intent, and the workspace pauses what its profiles do not cover; an operator can add a profile for it.';
}

export function explainPolicyError(erred: readonly Profile[], intent: WriteIntent, facts: FactsOf): string {
  return couldNotEvaluate('profile', erred, intent, facts);
}

export function explainExcess({ of, count }: Excess): string {
  return of === 'rules'
    ? `${count} profiles and workflows apply to this intent, and at most ${RULES_ON_INTENT_MAX} may; an operator must merge some, or match them on a narrower \`system\` or \`operation\`.`
    : `The profiles and workflows that apply to this intent require ${count} controls, counted for each of them, and at most ${REQUIREMENTS_ON_INTENT_MAX} may be; an operator must make fewer apply, or let them require fewer controls.`;
}

export function explainLimitErrors(
  limits: readonly JudgedLimit[],
  intent: WriteIntent,
  facts: FactsOf,
): string {
  const erred = limits.filter((one) => one.erred).map(({ limit }) => limit);
  if (erred.length === 0)
    return `${limits.length} limits apply to this intent, and at most ${LIMITS_ON_INTENT_MAX} may; an operator must make fewer apply.`;
  return couldNotEvaluate('limit', erred, intent, facts);
}

function couldNotEvaluate(
  kind: 'profile' | 'limit',
  erred: readonly { readonly id: string; readonly times: readonly TimeRead[] }[],
  intent: WriteIntent,
  facts: FactsOf,
): string {
  const times = erred.flatMap((rule) => rule.times);
  const why = faultOfTimes(times, intent, facts) ?? 'an operator must fix the condition';
  return `The condition of ${kind} ${list(erred.map(({ id }) => id))} could not be evaluated for this intent, so the write pauses; ${why}.`;
}

/** INVARIANT: it contains nothing of the counter, because the commit may write a newer reading into the record. */
export function explainLimit({ limit, code, group, draw, restored }: JudgedLimit): string {
  const id = quote(limit.id);
  if (code === 'limit_unreadable') {
    const what =
      group === null
        ? `what it counts by (${limit.by.map(({ source }) => quote(source)).join(', ')}) cannot be read`
        : draw === null
          ? `the amount at ${quote(limit.sum?.source ?? '')} cannot be read as a number of at least 0`
          : 'its counter cannot be read';
    return `Limit ${id} applies, and ${what}, so the write counts as beyond it; send what it reads, or have an operator look at it.`;
  }
  const window = describeWindow(limit.per);
  if (restored)
    return `Limit ${id} counts as used up until its window (${window}) ends, because the store was restored from a backup and draws may be missing.`;
  const counted =
    limit.by.length === 0 ? '' : ` for each ${limit.by.map(({ source }) => quote(source)).join(' and ')}`;
  return `Limit ${id} allows ${limit.max} ${window}${counted}, and this write would take more than is left; wait until it resets, or ask an operator.`;
}

function describeWindow(per: string): string {
  return DURATION_PATTERN.test(per) ? `in any ${per}` : `in a calendar ${per} (UTC)`;
}

export function explainUnknownWorkflow(workflowId: string): string {
  return `Workflow ${quote(workflowId)} is not registered in this workspace; name a registered workflow, or have an operator register this one.`;
}

export function explainAuthority(problem: AuthorityProblem, intent: WriteIntent, byPerson = false): string {
  const sentence = explainProblem(problem, intent);
  return byPerson ? `${sentence.slice(0, -1)}; or have a person confirm it in a review.` : sentence;
}

function explainProblem(problem: AuthorityProblem, { authoritySource }: WriteIntent): string {
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
      return `${unconfirmed}: it must be attested by control ${quote(problem.control.id)}. ${explainControl(problem.control, problem.evaluated, 'attestedBy')}`;
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
  purpose: Purpose = 'control',
): string {
  const id = quote(control.id);
  const source = quote(evaluation.source ?? '');
  const isAttested = purpose === 'attestedBy' || control.assurance === 'attested';
  const byPerson = purpose === 'control' && control.review !== null;
  const want =
    isNobodys(control) && isAttested && !byPerson
      ? 'nobody can satisfy it, so the policy forbids this write'
      : `supply ${describeNeed(control, purpose)}`;
  switch (evaluation.status) {
    case 'satisfied':
      return `Control ${id} is satisfied.`;
    case 'missing':
      return `Control ${id} has no evidence; ${want}.`;
    case 'failed':
      return `Control ${id} failed: ${source} reports FAIL; resolve what the check found before asking again.`;
    case 'revoked':
      return `Evidence for control ${id} from ${source} was revoked; stop, and have the check repeated.`;
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
      return `Evidence for control ${id} from ${source} is not trusted: ${distrust ?? 'it does not meet what the control requires'}; ${want}.`;
  }
}

function hasOffset(checkedAt: string): boolean {
  return parseInstant(checkedAt)?.hasOffset === true;
}

function spellingHint({ result }: ControlEvaluation): string {
  return result !== undefined && /^(pass|fail|revoked)$/i.test(result) ? ', which is not the same word' : '';
}

/** What would satisfy a control, as the object of "supply". */
export function describeNeed(control: Control, purpose: Purpose = 'control'): string {
  const age = control.maxAgeMs === null ? '' : ` within the last ${describeDuration(control.maxAgeMs)}`;
  if (purpose === 'confirmedBy') return `a person's approval in a review${age}`;
  const attested = purpose === 'attestedBy' || control.assurance === 'attested';
  const parts = [attested ? 'an attested PASS' : 'a PASS'];
  if (control.sources !== null) parts.push(`from ${oneOf(control.sources)}`);
  if (age !== '') parts.push(`checked${age}`);
  const need = parts.join(' ');
  return purpose === 'control' && control.review !== null
    ? `${need}, or a person's approval in a review`
    : need;
}

/** Nobody reads more names than this in a sentence; `acceptedSources` has them all. */
const NAMES_MAX = 8;

function oneOf(names: readonly string[]): string {
  if (names.length === 1) return quote(names[0]!);
  return `one of ${list(names)}`;
}

function list(names: readonly string[]): string {
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  return names.slice(0, NAMES_MAX).map(quote).join(', ') + more;
}

function describeDuration(ms: number): string {
  for (const [unitMs, unit] of [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
  ] as const) {
    if (ms >= unitMs && ms % unitMs === 0) return plural(ms / unitMs, unit);
  }
  return plural(ms / 1000, 'second');
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Puts a text in backticks, shortened; writes invisible characters, and those that end the quote, as code points. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `\`${text}\``;
  return `\`${shortened(text).replaceAll(HIDDEN, (point) => `\\u{${point.codePointAt(0)!.toString(16)}}`)}\``;
}

/** Most texts: `npm run bench -- worst-bundles` has thousands of them in one decision. */
const PLAIN = /^[ -_a-~]{1,64}$/;
const HIDDEN = /(?! )[`\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/gu;
