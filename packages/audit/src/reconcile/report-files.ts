/** The report as JSON and as JUnit XML. */
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
  const failing = findings.filter((finding) => isBypass(finding.class));
  const leftOut = bypassesIn(report) - failing.length + contradictedIn(report) - outcomeFindings.length;
  const suite = `writecheck reconcile ${system}`;
  const cases = [
    testCase(suite, `${changes.read} changes are compared with ${report.decisions.read} decisions`),
    ...findings.map((finding) => {
      const text = findingText(finding);
      return isBypass(finding.class)
        ? testCase(suite, text, `<failure message="${finding.class}">${xml(text)}</failure>`)
        : testCase(suite, text);
    }),
    ...outcomeFindings.map((finding) => {
      const text = outcomeText(finding);
      return testCase(suite, text, `<failure message="${finding.class}">${xml(text)}</failure>`);
    }),
    ...(leftOut === 0
      ? []
      : [testCase(suite, `${leftOut} more`, '<failure message="findings were left out"/>')]),
    ...unreadable.map(({ line, message }) =>
      testCase(suite, `line ${line} can be read`, `<error message="${xml(message)}"/>`),
    ),
  ];
  const failures = failing.length + outcomeFindings.length + (leftOut === 0 ? 0 : 1);
  const counts = `tests="${cases.length}" failures="${failures}" errors="${unreadable.length}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(suite: string, name: string, outcome?: string): string {
  const head = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
  return outcome === undefined ? `${head}/>` : `${head}>${outcome}</testcase>`;
}

const XML_ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML 1.0 cannot hold become a replacement character. */
function xml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => XML_ESCAPES[character]!)
    .replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
