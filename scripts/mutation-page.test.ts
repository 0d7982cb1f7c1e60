/** The page about mutation tests names only code that exists. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/mutation.md'), 'utf8');
const files = globSync('packages/{contract,engine,ledger,client}/src/**/*.ts', { cwd: root });
const names = new Set(files.map((file) => basename(file, '.ts')));
const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');

const survivors = page.slice(page.indexOf('## Survivors'));
const named = new Set([...survivors.matchAll(/`([A-Za-z][\w.-]*)`/g)].map(([, name]) => name!));

test.each([...named])('%s exists', (name) => {
  // A method is named with its class: `Frontier.fromBytes`.
  const last = name.split('.').at(-1)!;
  expect(names.has(name) || new RegExp(`\\b${last}\\b`).test(source)).toBe(true);
});
