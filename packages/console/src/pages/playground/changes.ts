/** Lists the differences between two decisions about the same write. */
import type { Decided } from '../../picture/picture.ts';

export function changesBetween(before: Decided, after: Decided): readonly string[] {
  const changes: string[] = [];
  if (before.decision !== after.decision) changes.push(`decision: ${before.decision} → ${after.decision}`);
  if (before.reasonCode !== after.reasonCode)
    changes.push(`reason: ${before.reasonCode} → ${after.reasonCode}`);
  const was = statuses(before);
  const is = statuses(after);
  for (const [control, status] of is) {
    const old = was.get(control);
    if (old === undefined) changes.push(`\`${control}\` is now required: ${status}`);
    else if (old !== status) changes.push(`\`${control}\`: ${old} → ${status}`);
  }
  for (const control of was.keys())
    if (!is.has(control)) changes.push(`\`${control}\` is no longer required`);
  return changes;
}

function statuses({ controlEvaluations }: Decided): ReadonlyMap<string, string> {
  return new Map(controlEvaluations.map(({ controlId, status }) => [controlId, status]));
}
