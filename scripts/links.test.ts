/** Every relative link in the repository's Markdown points to a file that exists, and to a heading if it names one. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
/** Removes fenced blocks, which may contain text that looks like links or headings. */
const FENCED = /^( *)(```+|~~~+).*?^\1\2[^\n]*$/gms;
const LINK = /\[(?:[^\]\\]|\\.)*\]\(([^)\s]+)\)/g;

const BUILT = new Set(['node_modules', 'dist', 'reports']);
const pages = globSync('**/*.md', { cwd: root, exclude: (name) => BUILT.has(basename(name)) }).sort();
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replaceAll(FENCED, '');

/** Anchors as GitHub generates them: lower case, without punctuation, duplicates numbered. */
function anchorsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of textOf(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const words = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    anchors.add(count === 0 ? name : `${name}-${count}`);
  }
  return anchors;
}

function brokenLinksOf(page: string): readonly string[] {
  const prose = textOf(page).replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(LINK)].flatMap(([, target]) => {
    if (/^[a-z][a-z+.-]*:/i.test(target!)) return [];
    const [path, anchor] = target!.split('#') as [string, string?];
    const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    if (file.startsWith('..') || !existsSync(join(root, file))) return [`${target}: no such file`];
    if (anchor === undefined || anchor === '') return [];
    if (statSync(join(root, file)).isDirectory() || !file.endsWith('.md')) return [];
    return anchorsOf(file).has(anchor) ? [] : [`${target}: no such heading`];
  });
}

test.each(pages)('every relative link in %s has a target', (page) => {
  expect(brokenLinksOf(page)).toEqual([]);
});

test('the architecture page names only files that exist', () => {
  const filesIn = (text: string) => [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path]) => path!);
  const page = textOf('docs/architecture.md');
  const [, table = ''] = /^(\| part \| in `sqlite\/` \| in `postgres\/` \|\n.*?)\n\n/ms.exec(page) ?? [];
  const ofDatabases = table.split('\n').flatMap((row) => {
    const [, , sqlite = '', postgres = ''] = row.split('|');
    const below = (folder: string) => (file: string) => `packages/store/src/${folder}/${file}`;
    return [...filesIn(sqlite).map(below('sqlite')), ...filesIn(postgres).map(below('postgres'))];
  });
  expect(ofDatabases.length).toBeGreaterThan(20);
  const named = [...filesIn(page.replace(table, '')), ...ofDatabases];
  const roots = ['', 'packages/service/src', 'packages/store/src'];
  expect(named.filter((path) => !roots.some((each) => existsSync(join(root, each, path))))).toEqual([]);
});
