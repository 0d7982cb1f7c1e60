/** Explains the first check's decision in a sentence or two. */
import type { Decision, DecisionResponse, Remediation } from '@writecheck/contract';

export function explainAnswer(response: DecisionResponse): string {
  const { profileId } = response.profileProvenance;
  const asked =
    profileId === undefined
      ? 'The request named its own controls; no policy applies yet.'
      : `Your profile \`${profileId}\` applies too.`;
  const lacking = [...new Set((response.remediation ?? []).map(lackOf))];
  if (lacking.length === 0) return `Allowed: nothing is missing. ${asked}`;
  return `${VERDICTS[response.decision]} ${lacking.join(' and ')}. ${asked}`;
}

const VERDICTS: { readonly [decision in Decision]: string } = {
  allow: 'Allowed in observe mode, although it needs',
  pause: 'Paused: it needs',
  block: 'Blocked: it needs',
};

function lackOf({ gate, controlId }: Remediation): string {
  switch (gate) {
    case 'freeze':
      return 'a freeze to be lifted';
    case 'authority':
      return 'an authoritative source with the same value';
    case 'control':
      return `valid evidence for \`${controlId}\``;
    case 'policy':
      return 'a profile that covers the write';
    case 'workflow':
      return 'a registered workflow';
    case 'limit':
      return 'room within a limit';
  }
}
