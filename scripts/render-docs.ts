/** `npm run docs`: renders the pages of docs/ that are generated from cases, catalogues, settings and routes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_CATALOGUE, REASON_CATALOGUE } from '@writecheck/contract';
import { type ConformanceCase, loadCases } from '../conformance/case.ts';
import { renderHttpApi } from './render-http-api.ts';
import { renderSettings } from './render-settings.ts';

export const PAGES: { readonly [path: string]: () => string } = {
  'docs/examples.md': renderExamples,
  'docs/codes.md': renderCodes,
  'docs/settings.md': renderSettings,
  'docs/http-api.md': renderHttpApi,
};

interface Stated {
  readonly decision: string;
  readonly evaluatedDecision: string;
  readonly reason: string;
  readonly reason_code: string;
}

const OTHER = 'other rules';
const RULES = [
  'authority',
  'comparing values',
  'controls and evidence',
  'age and expiry',
  'attestations',
  'facts',
  'profiles and conditions',
  'workflows',
  'unmatched writes',
  'observe mode',
  'freezes',
  'limits',
  'reasons and order',
  OTHER,
];

function renderExamples(): string {
  const cases = loadCases();
  const rules = RULES.map((rule) => ({
    rule,
    own: cases.filter((one) => (RULES.includes(one.rule ?? '') ? one.rule : OTHER) === rule),
  })).filter(({ own }) => own.length > 0);
  const rows = rules.map(({ rule, own }) => {
    const counts = ['allow', 'pause', 'block'].map(
      (decision) => own.filter((one) => (one.expect as Stated).decision === decision).length,
    );
    return `| [${rule}](#${rule.replaceAll(' ', '-')}) | ${counts.join(' | ')} |`;
  });
  const sections = rules.map(
    ({ rule, own }) =>
      `## ${rule}\n\n| case | decision | reason |\n|---|---|---|\n${own.map(renderCase).join('\n')}\n`,
  );
  return `# Decisions by example

<!-- Rendered by \`npm run docs\` from conformance/cases. -->

The tests run each of these ${cases.length} cases through the engine and through the service over HTTP. The title of a case links to its
file, which has the request, the policy and the complete response.

| rule | allow | pause | block |
|---|---|---|---|
${rows.join('\n')}

${sections.join('\n')}`;
}

/** A row; the file has the request, the policy and the whole response. */
function renderCase({ name, title, expect }: ConformanceCase): string {
  const { decision, evaluatedDecision, reason, reason_code } = expect as Stated;
  const observed = evaluatedDecision === decision ? '' : `, **${evaluatedDecision}** if enforced`;
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const link = `[${cell(title.replace(/\.$/, ''))}](../conformance/cases/${name}.yaml)`;
  return `| ${link} | **${decision}**${observed} | \`${reason_code}\`: ${cell(reason)} |`;
}

function renderCodes(): string {
  const reasons = Object.entries(REASON_CATALOGUE).map(
    ([code, { meaning, actor, action }]) => `| \`${code}\` | ${meaning} | ${actor} | ${action} |`,
  );
  const errors = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, meaning, fix }]) => `| ${status} | \`${code}\` | ${meaning} | ${fix} |`,
  );
  return `# Codes

<!-- Rendered by \`npm run docs\` from the catalogues in packages/contract. -->

A code never changes its meaning. Gates have lower-case codes, controls have upper-case codes.

## Reason codes

Every decision has one, as \`reason_code\`.

| code | meaning | who acts | what to do |
|---|---|---|---|
${reasons.join('\n')}

## Error codes

Every response that is not a decision has one, as \`error.code\` in a problem document. No error permits a write.

| status | code | meaning | fix |
|---|---|---|---|
${errors.join('\n')}
`;
}

export function isCurrent(path: string): boolean {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') === PAGES[path]!();
}

if (import.meta.main) {
  for (const [path, render] of Object.entries(PAGES))
    writeFileSync(new URL(`../${path}`, import.meta.url), render());
}
