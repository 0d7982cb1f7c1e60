/** `npm run docs`: writes the pages of docs/ that are rendered from the cases, catalogues, settings and routes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_CATALOGUE, REASON_CATALOGUE } from '@writecheck/contract';
import { stringify } from 'yaml';
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
  readonly control_evaluations: readonly {
    readonly controlId: string;
    readonly status: string;
    readonly effect: string;
  }[];
  readonly remediation?: readonly { readonly need: string; readonly action: string }[];
}

function renderExamples(): string {
  const cases = loadCases();
  const byDecision = (decision: string) =>
    cases.filter((one) => (one.expect as Stated).decision === decision);
  const sections = ['allow', 'pause', 'block'].map((decision) => {
    const list = byDecision(decision);
    return `## ${decision} (${list.length})\n\n${list.map(renderCase).join('\n')}`;
  });
  return `# Decisions by example

<!-- Made by \`npm run docs\` from conformance/cases. -->

Each of these ${cases.length} cases runs through the engine and through the service over HTTP whenever the tests run. The
file of a case in \`conformance/cases\` holds the whole response.

${sections.join('\n')}`;
}

function renderCase({ name, title, policy, intent, attestations, expect }: ConformanceCase): string {
  const stated = expect as Stated;
  const said = stringify(
    { ...(policy.length > 0 && { policy }), intent, ...(attestations.length > 0 && { attestations }) },
    { lineWidth: 100 },
  );
  const controls = stated.control_evaluations
    .map(({ controlId, status, effect }) => `\`${controlId}\` ${status} (${effect})`)
    .join(', ');
  const observed =
    stated.evaluatedDecision === stated.decision
      ? ''
      : `, would be **${stated.evaluatedDecision}** if enforced`;
  return `### ${name.replaceAll('-', ' ')}

${title}

**${stated.decision}**${observed} · \`${stated.reason_code}\`

> ${stated.reason}
${controls === '' ? '' : `\nControls: ${controls}\n`}
<details><summary>What was sent</summary>

\`\`\`yaml
${said.trimEnd()}
\`\`\`

</details>
`;
}

function renderCodes(): string {
  const reasons = Object.entries(REASON_CATALOGUE).map(
    ([code, { meaning, actor, action }]) => `| \`${code}\` | ${meaning} | ${actor} | ${action} |`,
  );
  const errors = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, meaning, fix }]) => `| ${status} | \`${code}\` | ${meaning} | ${fix} |`,
  );
  return `# Codes

<!-- Made by \`npm run docs\` from the catalogues in packages/contract. -->

A code never changes its meaning. Codes of gates are in lower case, codes of controls in upper case.

## Reason codes

On every decision, as \`reason_code\`.

| code | meaning | who acts | what to do |
|---|---|---|---|
${reasons.join('\n')}

## Error codes

On every answer that is not a decision, as \`error.code\` of a problem document. None of them permits a write.

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
