/** An impact report as text. */
import type { Changed, ImpactReport } from '@writecheck/api';
import { DECISIONS, visible } from '@writecheck/contract';

const ROWS_SHOWN = 5;
const KINDS_SHOWN = 20;

export function impactText(report: ImpactReport): string {
  const { coverage, matrix, rules } = report;
  const { decisions, replayed } = coverage;
  if (decisions === 0) return 'no decisions in this range, so nothing was replayed\n';
  const left = Object.entries(coverage.notReplayed).filter(([, count]) => count > 0);
  const lines = [
    `${replayed} of ${decisions} decisions replayed`,
    ...(left.length === 0
      ? []
      : [`not replayed: ${left.map(([reason, count]) => `${reason} ${count}`).join(', ')}`]),
    '',
    `${'before'.padEnd(8)}${DECISIONS.map((after) => after.padStart(10)).join('')}   (after)`,
    ...DECISIONS.map(
      (before) =>
        `${before.padEnd(8)}${DECISIONS.map((after) => String(matrix.decisions[before][after]).padStart(10)).join('')}`,
    ),
    '',
    ...changedLines(report),
  ];
  const unused = rules.filter(({ applied }) => applied === 0).map(({ rule }) => rule);
  if (unused.length > 0) lines.push(`rules that never applied: ${unused.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** What changes, without the table: what a person should know before applying. */
export function changedLines({
  newlyStopped,
  newlyAllowed,
  uncovered,
  coverage,
}: ImpactReport): readonly string[] {
  const lines = [
    ...changeLines('newly stopped', newlyStopped, coverage.replayed),
    ...changeLines('newly allowed', newlyAllowed, coverage.replayed),
  ];
  if (uncovered.length === 0) return lines;
  lines.push(`no rule covers ${counted(uncovered.length, 'kind')} of writes:`);
  for (const { decisions, system, objectType, field, operation } of uncovered.slice(0, KINDS_SHOWN)) {
    const names = [system, objectType, field, operation].filter((name) => name !== null);
    lines.push(row(decisions, visible(names.join(' '))));
  }
  if (uncovered.length > KINDS_SHOWN) lines.push(`  and ${uncovered.length - KINDS_SHOWN} more`);
  return lines;
}

function changeLines(what: string, changed: Changed, replayed: number): readonly string[] {
  const { decisions, intents, byCode, byRule, examples } = changed;
  if (decisions === 0) return [`${what}: none`];
  return [
    `${what}: ${counted(decisions, 'decision')} (${percent(decisions / replayed)}), ${counted(intents, 'different write')}`,
    ...byCode.slice(0, ROWS_SHOWN).map(({ code, decisions: count }) => row(count, code)),
    ...byRule.slice(0, ROWS_SHOWN).map(({ rule, decisions: count }) => row(count, rule)),
    ...examples
      .slice(0, ROWS_SHOWN)
      .map(
        ({ decision_id, before, after }) =>
          `  ${decision_id}  ${before.decision} -> ${after.decision} ${after.reason_code}`,
      ),
  ];
}

function row(count: number, name: string): string {
  return `  ${String(count).padStart(8)}  ${name}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}
