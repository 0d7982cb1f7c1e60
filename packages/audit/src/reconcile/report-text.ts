/** A report for a person at a terminal. Names come from the system of record, so everything odd in them is escaped. */
import { visible } from '@writecheck/contract';
import { CHANGE_CLASSES, type ChangeClass } from './classes.ts';
import type { ListedAllow, OutcomeFinding } from './outcomes.ts';
import { bypassesIn, contradictedIn, notComparedIn, type ReconcileReport } from './report.ts';
import type { Finding, SomeClassCounts } from './tally.ts';

const MEANINGS: { readonly [one in ChangeClass]: string } = {
  redeemed: 'allowed, and redeemed before the write',
  allowed: 'allowed, not redeemed',
  observed: 'allowed only because the failed rule is in observe mode',
  development: 'allowed to a development key',
  late: 'allowed, but written after it expired',
  after_block: 'blocked, and written anyway',
  after_pause: 'paused, and written anyway',
  other_value: 'decided for another value',
  nobody_asked: 'no decision at all',
};

/** Limits the actors and fields that are listed; `--json` lists all. */
const LISTED_MAX = 20;

export function reportText(report: ReconcileReport): string {
  const { changes, decisions, from, to, notCarriedOut, outcomeFindings, unreadable } = report;
  const { allowsNotCarriedOut: allows } = report;
  const range = from === null ? '' : ` from ${from} to ${to}`;
  return [
    `${count(changes.read, 'change')} of system \`${visible(report.system)}\`${range}, compared with ${count(decisions.read, 'decision')}`,
    '',
    ...CHANGE_CLASSES.map(
      (one) => `  ${one.padEnd(12)} ${String(report.classes[one]).padStart(9)}  ${MEANINGS[one]}`,
    ),
    '',
    ...doubleLine(report),
    ...notComparedLines(report),
    `  ${String(notCarriedOut).padStart(22)}  ${notCarriedOut === 1 ? 'allow was' : 'allows were'} not carried out`,
    ...outcomeCountLines(report),
    ...table(
      'by actor',
      report.byActor.map(({ actor, classes }) => [actorName(actor), classes]),
    ),
    ...table(
      'by field',
      report.byField.map(({ objectType, field, operation, classes }) => [
        operation === undefined ? `${visible(objectType)}.${visible(field)}` : visible(operation),
        classes,
      ]),
    ),
    ...section('findings', report.findings.map(findingText), report.findingsLeftOut),
    ...section('outcomes', outcomeFindings.map(outcomeText), contradictedIn(report) - outcomeFindings.length),
    ...section(
      'not carried out',
      allows.map((allow) => `${allow.time}  ${targetOf(allow)}, see ${visible(allow.decision_id)}`),
      notCarriedOut - allows.length,
    ),
    ...section(
      'unreadable',
      unreadable.map(({ line, message }) => `line ${line}  ${message}`),
      changes.unreadable - unreadable.length,
    ),
    '',
    ...hiddenLine(report),
    verdict(report),
    '',
  ].join('\n');
}

/** Nothing if there are no lines. */
function section(title: string, lines: readonly string[], leftOut: number): readonly string[] {
  if (lines.length === 0) return [];
  const more = leftOut === 0 ? [] : [`  and ${leftOut} more`];
  return ['', title, ...lines.map((line) => `  ${line}`), ...more];
}

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

function actorName(actor: string): string {
  return actor === '' ? '(no actor)' : visible(actor);
}

function table(title: string, rows: readonly (readonly [string, SomeClassCounts])[]): readonly string[] {
  if (rows.length === 0) return [];
  const listed = rows.slice(0, LISTED_MAX);
  const width = Math.max(...listed.map(([name]) => name.length));
  const lines = listed.map(([name, classes]) => {
    const counts = Object.entries(classes).map(([one, number]) => `${one} ${number}`);
    return `  ${name.padEnd(width)}  ${counts.join(', ')}`;
  });
  const more = rows.length - listed.length;
  return ['', title, ...lines, ...(more === 0 ? [] : [`  and ${more} more, which --json lists`])];
}

function outcomeCountLines({
  outcomes: { doneNotFound, failedButFound },
}: ReconcileReport): readonly string[] {
  return countLines([
    [doneNotFound, 'reported as done, and not found'],
    [failedButFound, 'reported as failed, and found'],
  ]);
}

function countLines(lines: readonly (readonly [number, words: string])[]): readonly string[] {
  return lines
    .filter(([number]) => number > 0)
    .map(([number, words]) => `  ${String(number).padStart(22)}  ${words}`);
}

/** One line; never a value. */
export function outcomeText(finding: OutcomeFinding): string {
  const { class: found, decision_id, time, line } = finding;
  const place = line === undefined ? '' : `line ${line}  `;
  return `${place}${time}  ${found}  ${targetOf(finding)}, see ${visible(decision_id)}`;
}

type Named = Pick<ListedAllow, 'objectType' | 'objectRef' | 'field' | 'operation'>;

function targetOf({ objectType = '', objectRef, field = '', operation }: Named): string {
  const ref = `\`${visible(objectRef)}\``;
  return operation === undefined
    ? `${visible(objectType)} ${ref} ${visible(field)}`
    : `${visible(operation)} ${ref}`;
}

/** One line; never a value. */
export function findingText(finding: Finding): string {
  const { line, time, actor, decision_id, doubleWrite } = finding;
  const target = targetOf(finding);
  const id = decision_id === null ? '' : visible(decision_id);
  if (doubleWrite)
    return `line ${line}  ${time}  double write  ${target}, by ${actorName(actor)}; ${id} allowed one write`;
  const decision = decision_id === null ? '' : `, see ${id}`;
  return `line ${line}  ${time}  ${finding.class}  ${target}, by ${actorName(actor)}${decision}`;
}

function doubleLine({ doubleWrites = 0 }: ReconcileReport): readonly string[] {
  if (doubleWrites === 0) return [];
  const are = doubleWrites === 1 ? 'is a double write' : 'are double writes';
  return [`  ${String(doubleWrites).padStart(22)}  of these ${are}: one allow, the same value again`];
}

function notComparedLines({ notComparable }: ReconcileReport): readonly string[] {
  if (notComparable === undefined) return [];
  const { changes, decisions } = notComparable;
  const skipped = 'of operations not compared, see --operations';
  return countLines([
    [changes, `${changes === 1 ? 'change' : 'changes'} ${skipped}`],
    [decisions, `${decisions === 1 ? 'decision' : 'decisions'} ${skipped}`],
  ]);
}

function hiddenLine({ decisions: { hidden } }: ReconcileReport): readonly string[] {
  if (hidden === 0) return [];
  return [
    `the export shows ${count(hidden, 'more entry', 'more entries')} only by hash: pruned, filtered out, or another workspace's`,
  ];
}

function verdict(report: ReconcileReport): string {
  const bypasses = bypassesIn(report);
  if (bypasses > 0)
    return `${count(bypasses, 'change')} without an allow for ${bypasses === 1 ? 'it' : 'them'}`;
  const contradicted = contradictedIn(report);
  if (contradicted > 0)
    return `an allow covers every change, but the changes contradict ${count(contradicted, 'reported outcome')}`;
  const skipped = notComparedIn(report);
  if (skipped > 0)
    return `an allow covers every change that was compared; ${count(skipped, 'operation')} could not be, so the result is unknown`;
  if (report.changes.unreadable > 0) return 'not every line could be read, so the result is unknown';
  return 'an allow covers every change';
}
