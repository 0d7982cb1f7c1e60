/** Collects a decision's warnings: labels, values that were not compared, and evidence that nothing requires. */
import type { AttestationChecks, EvidenceItem } from '@writecheck/contract';
import type { EvaluatedControl } from './evaluate-control.ts';
import { quote } from './explain.ts';
import type { Weighed } from './weigh-intent.ts';

export function warningsFor(weighed: Weighed): readonly string[] {
  const { evidence, resolution, authority } = weighed;
  const warnings: string[] = [];
  if (resolution.unregisteredWorkflowId !== null && resolution.enforced.unknownWorkflowId === null) {
    warnings.push(
      `workflow ${quote(resolution.unregisteredWorkflowId)} is not registered and counts as a label only`,
    );
  }
  for (const warning of authority.warnings) warnings.push(warning);
  const ignored = evidence.items.filter(
    (item, index) => isNegative(item, evidence.facts[index]) && !isAsked(item.controlId, weighed),
  );
  if (ignored.length === 0) return warnings;
  const warned = ignored.map(
    ({ controlId, result }) =>
      `evidence for ${quote(controlId)} with result ${quote(result)} is not considered, because that control is not required`,
  );
  return [...warnings, ...[...new Set(warned)].sort()];
}

function isNegative({ result }: EvidenceItem, facts: AttestationChecks | undefined): boolean {
  return result !== 'PASS' || (facts?.kind === 'verified' && facts.revoked);
}

function isAsked(
  controlId: string,
  { resolution, controls, authority, evaluatedAuthority }: Weighed,
): boolean {
  const isIt = ({ control }: EvaluatedControl) => control.id === controlId;
  return (
    controls.some(isIt) ||
    // A negative result removes its facts.
    resolution.readsFacts.some(({ id }) => id === controlId) ||
    [authority, evaluatedAuthority].some(
      ({ attestedBy, confirmation }) =>
        attestedBy.some(isIt) || (confirmation !== null && isIt(confirmation)),
    )
  );
}
