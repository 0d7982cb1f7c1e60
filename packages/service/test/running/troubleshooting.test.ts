/** The service can really print every message that the troubleshooting page quotes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CATALOGUE } from '@writecheck/contract';
import { expect, test } from 'vitest';

const packages = join(import.meta.dirname, '../../..');
const page = readFileSync(join(packages, '../docs/troubleshooting.md'), 'utf8');
const source = globSync('{cli,service,store}/{src,bin}/**/*.{ts,js}', { cwd: packages })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(packages, file), 'utf8'))
  .join('\n')
  // The text is as in a message, not as in a template.
  .replaceAll('\\`', '`');

const quoted = [...page.matchAll(/^> (.+)$/gm)].map(([, message]) => message!);
const inTables = [...page.matchAll(/^\| `([a-z][^`]* [^`]*)`/gm)].map(([, message]) => message!);
const codes = [...page.matchAll(/^### .*$/gm)].flatMap(([heading]) => [...heading.matchAll(/`(\w+)`/g)]);

test.each([...quoted, ...inTables])('the service says: %s', (message) => {
  expect(source).toContain(message);
});

test('the headings name only published codes', () => {
  expect(codes.length).toBeGreaterThan(8);
  for (const [, code] of codes) {
    if (code !== 'no_valid_decision') expect(Object.keys(ERROR_CATALOGUE)).toContain(code);
  }
});
