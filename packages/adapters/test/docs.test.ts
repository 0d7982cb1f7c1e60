import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readMapping } from '../src/mapping/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const docs = join(ROOT, 'docs/frameworks');
const pages = readdirSync(docs).map((name) => ({ name, text: readFileSync(join(docs, name), 'utf8') }));
/** Below the package, so that imports resolve as for a user, and where no other tool looks. */
const modules = join(import.meta.dirname, '../node_modules');
mkdirSync(modules, { recursive: true });
const scratch = mkdtempSync(join(modules, '.docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function blocks(text: string, language: string) {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!);
}

/** What a reader supplies. */
const THEIRS = `
import type { EvidenceItem } from '@writecheck/client';
import type { LanguageModel } from 'ai';
declare global {
  const crm: { update(id: string, change: { email: string }): Promise<string> };
  const approvals: { of(id: string, value: string): Promise<EvidenceItem[]> };
  const reviewQueue: { add(item: unknown): Promise<void> };
  const alerts: { add(text: string): void };
  const model: LanguageModel;
}`;

describe('docs/frameworks', () => {
  it('every program compiles', { timeout: 120_000 }, () => {
    const files = pages.flatMap(({ name, text }) =>
      blocks(text, 'ts').map((code, index) => {
        const file = join(scratch, `${name}-${index}.ts`);
        writeFileSync(file, code);
        return file;
      }),
    );
    expect(files.length).toBeGreaterThanOrEqual(5);
    writeFileSync(join(scratch, 'theirs.ts'), THEIRS);
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      customConditions: ['writecheck-source'],
      allowImportingTsExtensions: true,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
      jsx: 'react-jsx',
      jsxImportSource: 'preact',
    };
    const project = { compilerOptions, files: [...files, join(scratch, 'theirs.ts')] };
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(project));
    // As `npm run check` compiles the rest; TypeScript 6 takes three times the processor time.
    const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const args = [compiler, '-p', join(scratch, 'tsconfig.json'), '--checkers', '1'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout + stderr).toBe('');
    expect(status).toBe(0);
  });

  it('every mapping file can be read', () => {
    const documents = pages.flatMap(({ text }) => blocks(text, 'yaml'));
    const mappings = documents.filter((text) => !text.startsWith('kind:'));
    expect(mappings).toHaveLength(2);
    for (const mapping of mappings) expect(readMapping(parse(mapping))).toMatchObject({ kind: 'mapping' });
  });

  it('every link to our own pages and folders leads somewhere', () => {
    for (const { text } of pages) {
      for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        expect(() => readdirSync(join(docs, target!, '..'))).not.toThrow();
        expect(readdirSync(join(docs, target!, '..'))).toContain(target!.split('/').at(-1));
      }
    }
  });
});
