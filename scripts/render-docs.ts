/** `npm run docs`: renders the pages of docs/ that are generated from catalogues and settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_CATALOGUE, REASON_CATALOGUE } from '@writecheck/contract';
import { renderSettings } from './render-settings.ts';

export const PAGES: { readonly [path: string]: () => string } = {
  'docs/codes.md': renderCodes,
  'docs/settings.md': renderSettings,
};

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
