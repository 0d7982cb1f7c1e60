/** A decision in text form for a person at a terminal. */
import { styleText } from 'node:util';
import type { ServiceDecision, WriteDecision } from '@writecheck/client';
import { oneLine, type WriteIntent } from '@writecheck/contract';

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colours only if the terminal supports them and `NO_COLOR` does not forbid them. */
export function painterFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream, validateStream: true });
}

const COLOURS = { allow: 'green', pause: 'yellow', block: 'red' } as const;
const EXIT_CODES = { allow: 0, pause: 10, block: 11 } as const;
export const NO_DECISION_EXIT_CODE = 2;

export function exitCodeOf(decision: WriteDecision): number {
  return decision.origin === 'client' ? NO_DECISION_EXIT_CODE : EXIT_CODES[decision.decision];
}

export function explainDecision(
  decision: WriteDecision,
  intent: WriteIntent,
  paint: Paint,
  url?: string,
): string {
  if (decision.origin === 'client') {
    return `${paint(['bold', 'red'], 'NO DECISION')}  do not write\n${decision.reason}\n`;
  }
  const head = paint(['bold', COLOURS[decision.decision]], decision.decision.toUpperCase());
  const lines = [`${head}  ${decision.reason_code}`, oneLine(decision.reason), ''];
  lines.push(`  write     ${oneLine(target(intent))}`);
  lines.push(`  policy    ${policy(decision)}`);
  if (decision.validUntil !== undefined) lines.push(`  valid until ${decision.validUntil}`);
  const evaluations = decision.control_evaluations ?? [];
  if (evaluations.length > 0) lines.push('', '  controls');
  for (const { controlId, effect, code, source, checkedAt } of evaluations) {
    const mark =
      effect === 'allow' ? paint('green', '✓') : paint(COLOURS[effect], effect === 'pause' ? '…' : '✗');
    const evaluation = [controlId, code, source, checkedAt].filter((part) => part !== undefined).join('  ');
    lines.push(`    ${mark} ${oneLine(evaluation)}`);
  }
  const remediation = decision.remediation ?? [];
  if (remediation.length > 0) lines.push('', '  what would satisfy it');
  for (const { action, need, controlId } of remediation) {
    // The reason already says it.
    const what = need === decision.reason && controlId !== undefined ? `see above, for ${controlId}` : need;
    lines.push(`    ${paint('bold', action)}: ${oneLine(what)}`);
  }
  if (url !== undefined && decision.review !== undefined && DECISION_ID.test(decision.decision_id ?? ''))
    lines.push('', ...howToReview(decision, url, paint));
  const warnings = decision.warnings ?? [];
  if (warnings.length > 0) lines.push('', '  warnings', ...warnings.map((warning) => `    ${warning}`));
  lines.push('', paint('dim', `  ${decision.decision_id ?? ''}`), '');
  return lines.join('\n');
}

/** The service must not be able to choose text that a person pastes into a shell. */
const DECISION_ID = /^dec_[0-9a-f]{32}$/;

function howToReview({ decision_id: id }: ServiceDecision, url: string, paint: Paint): readonly string[] {
  return [
    `  ${paint('bold', 'a person can approve it')}; open a review with this, then see it in the console`,
    `    curl -s ${url}/v1/reviews -H "Authorization: Bearer $WRITECHECK_API_KEY" -H 'Content-Type: application/json' -d '{"decision_id":"${id}"}'`,
  ];
}

function target({ system, objectType, objectRef, field, operation }: WriteIntent): string {
  const what = [operation, objectType, objectRef, field].filter((part) => part !== undefined);
  return `${what.join(' ')} in ${system}`;
}

function policy({ writePolicy, evaluatedDecision, decision, profileProvenance }: ServiceDecision): string {
  const from = profileProvenance?.profileId ?? profileProvenance?.source ?? 'unknown';
  const observed = evaluatedDecision === decision ? '' : `; enforced it would be ${evaluatedDecision}`;
  return `${writePolicy ?? 'unknown'} (${from})${observed}`;
}
