/** Says in a sentence why the first check was decided as it was: by what was asked, or by a bundle that runs already. */
import type { DecisionResponse, Remediation } from '@writecheck/contract';

export function explainAnswer(response: DecisionResponse): string {
  const { profileId } = response.profileProvenance;
  const asked =
    profileId === undefined
      ? 'The caller named the controls itself, and no profile of this workspace applies'
      : `The profile \`${profileId}\` of this workspace applies, and what it asks for counts as well`;
  const lacking = [...new Set((response.remediation ?? []).map(lackOf))];
  if (lacking.length === 0) return `${asked}. Nothing is lacking, so the caller may write.`;
  const so =
    response.decision === 'allow'
      ? 'It is only observed, so the caller may write all the same.'
      : 'So the caller must not write.';
  return `${asked}. What is lacking: ${lacking.join(', ')}. ${so}`;
}

function lackOf({ gate, controlId }: Remediation): string {
  switch (gate) {
    case 'authority':
      return 'an authority that holds the value';
    case 'control':
      return `good evidence for \`${controlId}\``;
    case 'policy':
      return 'a profile that covers the write';
    case 'workflow':
      return 'a registered workflow';
  }
}
