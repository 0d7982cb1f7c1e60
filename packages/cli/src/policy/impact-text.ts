/** An impact report and an assessment as text. */
import type { Assessment, Changed, ImpactReport, ImpactRun } from '@writecheck/api';
import { DECISIONS } from '@writecheck/contract';
import { NOT_REPLAYED } from '@writecheck/service/features/impact/report';

const ROWS_SHOWN = 5;

export function impactText(run: ImpactRun, report: ImpactReport): string {
  const { coverage, matrix, newlyStopped, newlyAllowed, rules } = report;
  const range = `${run.from.slice(0, 10)} to ${run.to.slice(0, 10)}`;
  if (coverage.decisions === 0) return `no decisions from ${range}, so nothing was replayed\n`;
  const left = NOT_REPLAYED.filter((reason) => coverage.notReplayed[reason] > 0).map(
    (reason) => `${reason} ${coverage.notReplayed[reason]}`,
  );
  const cells = matrix.decision.decisions;
  const lines = [
    `${coverage.replayed} of ${coverage.decisions} decisions replayed, ${range}`,
    ...(left.length === 0 ? [] : [`not replayed: ${left.join(', ')}`]),
    '',
    `${'before'.padEnd(8)}${DECISIONS.map((after) => after.padStart(10)).join('')}   (after)`,
    ...DECISIONS.map(
      (before) =>
        `${before.padEnd(8)}${DECISIONS.map((after) => String(cells[before][after]).padStart(10)).join('')}`,
    ),
    '',
    ...changedLines('newly stopped', newlyStopped),
    ...changedLines('newly allowed', newlyAllowed),
  ];
  const unused = rules.profiles.filter(({ applied }) => applied === 0).map(({ id }) => id);
  if (unused.length > 0) lines.push(`profiles that never applied: ${unused.join(', ')}`);
  if (report.approximate) lines.push('distinct counts are estimates, within 2 %');
  lines.push(`report ${run.id} ${run.digest ?? ''}`.trimEnd());
  return `${lines.join('\n')}\n`;
}

function changedLines(what: string, changed: Changed): readonly string[] {
  const { decisions, intents, share, agents, objects } = changed;
  if (decisions === 0) return [`${what}: none`];
  const lines = [
    `${what}: ${counted(decisions, 'decision')} (${percent(share)}), ${counted(intents, 'different write')}, ${counted(agents, 'agent')}, ${counted(objects, 'object')}`,
  ];
  for (const { code, decisions: count } of changed.byCode.slice(0, ROWS_SHOWN))
    lines.push(`  ${String(count).padStart(8)}  ${code}`);
  for (const { profile, decisions: count } of changed.byProfile.slice(0, ROWS_SHOWN))
    lines.push(`  ${String(count).padStart(8)}  profile ${profile ?? '(none)'}`);
  for (const { decision_id, before, after } of changed.examples.slice(0, ROWS_SHOWN))
    lines.push(`  ${decision_id}  ${before.decision} -> ${after.decision} ${after.reason_code}`);
  return lines;
}

export function assessmentText(assessment: Assessment): string {
  const { profile, verdict, observingSince, decisions, stopped, reasons, byKey } = assessment;
  const lines = [
    `profile \`${profile}\` is ${verdict === 'ready' ? 'ready' : 'not ready'} to enforce`,
    `observing since ${observingSince}, applied to ${decisions} writes`,
    `would have stopped ${stopped.decisions} (${percent(stopped.share)}), of which ${stopped.redeemed} were redeemed and ${stopped.approved} approved in a review`,
    ...stopped.byCode.map(({ code, decisions: count }) => `  ${String(count).padStart(8)}  ${code}`),
    ...byKey.map(
      (key) => `  ${String(key.stopped).padStart(8)}  of ${key.decisions} by key ${key.name ?? key.keyId}`,
    ),
    ...reasons.map(
      ({ code, have, need }) =>
        `not met: ${code}, has ${have}, needs ${code === 'stopped' ? 'at most' : 'at least'} ${need}`,
    ),
    `assessment ${assessment.id} ${assessment.digest}`,
  ];
  return `${lines.join('\n')}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}
