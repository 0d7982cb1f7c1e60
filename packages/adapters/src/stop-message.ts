/** What a model is told about a tool that was not run: that nothing happened, why, and what to do now. */
import type { LocalDecision, StopDecision } from '@writecheck/client';
import type { InvalidArguments } from './invalid-arguments.ts';

/** For a mistake in the call itself, about which nobody was asked. */
export function correctionMessage(tool: string, { message }: InvalidArguments): string {
  return `Not executed: ${message}. Nothing was written. Correct the arguments of \`${tool}\` and call it again.`;
}

export function stopMessage(decision: StopDecision | LocalDecision): string {
  if (decision.origin === 'client') {
    return `Not executed: ${decision.reason}. Nothing was written. Say so, and do not try another way to make this change.`;
  }
  const lines = [`${HEADS[decision.decision]} ${decision.reason} (${decision.reason_code})`];
  const needs = decision.remediation ?? [];
  if (needs.length > 0) lines.push('What would satisfy it:');
  for (const { action, controlId, need } of needs) {
    lines.push(`- ${action}${controlId === undefined ? '' : ` \`${controlId}\``}: ${need}`);
  }
  lines.push(ADVICE[decision.decision]);
  if (decision.decision_id !== undefined) lines.push(`Decision: ${decision.decision_id}`);
  return lines.join('\n');
}

const HEADS = {
  pause: 'Not executed, paused for review:',
  block: 'Not executed, blocked:',
} as const;

const ADVICE = {
  pause:
    'Nothing was written. A person has to look at this; say so, and do not repeat the call or try another way to make this change.',
  block:
    'Nothing was written. Stop this action; do not repeat the call or try another way to make this change.',
} as const;
