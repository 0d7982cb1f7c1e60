/** A page that shows a command also names the settings that the command needs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const pages = ['README.md', 'docs', 'docs/frameworks'].flatMap((path) =>
  path.endsWith('.md')
    ? [path]
    : readdirSync(join(ROOT, path))
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(path, name)),
);

const NEEDS = [
  {
    command: /writecheck (?:policy (?:apply|pull|explain|diff running)|audit export|reviews)\b/,
    key: /WRITECHECK_OWNER_KEY|--key wck_own_/,
  },
  { command: /writecheck (?:check|mcp-proxy|hook claude) /, key: /WRITECHECK_API_KEY|--key wck_/ },
];

test.each(pages)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  for (const { command, key } of NEEDS) if (command.test(text)) expect(text).toMatch(key);
});
