/** The report as JSON and as JUnit XML. */
import { type JunitCase, junit } from '../junit.ts';
import { isBypass } from './classes.ts';
import { bypassesIn, contradictedIn, type ReconcileReport } from './report.ts';
import { findingText, outcomeText } from './report-text.ts';

/** Everything that a terminal could interpret or a reader overlook, except the line breaks of the layout. */
const ODD = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/gu;

/** The same JSON, with odd characters escaped. */
export function reportJson(report: ReconcileReport): string {
  return `${JSON.stringify(report, null, 2).replaceAll(ODD, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )}\n`;
}

/** One test case for each finding and each line that cannot be read; `late` passes. */
export function reportJunit(report: ReconcileReport): string {
  const { findings, unreadable, changes, system, outcomeFindings } = report;
  const bypasses = findings.filter((finding) => isBypass(finding.class));
  const leftOut = bypassesIn(report) - bypasses.length + contradictedIn(report) - outcomeFindings.length;
  const named = (name: string, found: string | null): JunitCase => ({
    name,
    failure: found === null ? null : { message: found, text: name },
  });
  const cases = [
    named(`${changes.read} changes are compared with ${report.decisions.read} decisions`, null),
    ...findings.map((one) => named(findingText(one), isBypass(one.class) ? one.class : null)),
    ...outcomeFindings.map((one) => named(outcomeText(one), one.class)),
    ...(leftOut === 0 ? [] : [named(`${leftOut} more`, 'findings were left out')]),
    ...unreadable.map(({ line, message }): JunitCase => {
      return { name: `line ${line} can be read`, failure: null, error: message };
    }),
  ];
  return junit(`writecheck reconcile ${system}`, cases);
}
