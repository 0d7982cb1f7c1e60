import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const bin = join(root, 'node_modules/.bin');
const place = mkdtempSync(join(tmpdir(), 'writecheck-adapters-'));
const project = join(place, 'project');
const installed = join(project, 'node_modules');

function run(command: string, args: readonly string[], cwd: string): string {
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    NODE_OPTIONS: '',
    npm_config_offline: 'true',
  };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  // Built in a copy: the tests of other packages build in their own folders at the same time.
  const copy = join(place, 'copy');
  cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const name of ['contract', 'ledger', 'client', 'adapters']) {
    cpSync(join(root, 'packages', name), join(copy, 'packages', name), {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules|reports)$/.test(path),
    });
  }
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const name of ['client', 'adapters']) {
    run('node', ['build.ts'], join(copy, 'packages', name));
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], join(copy, 'packages', name));
  }
  const tarballs = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  run('npm', ['install', '--no-audit', '--no-fund', ...tarballs.map((name) => `./${name}`)], project);
}, 180_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the packed adapters beside the packed client in an empty project', () => {
  it('bring no framework along', () => {
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['@writecheck']);
    expect(readdirSync(join(installed, '@writecheck'))).toEqual(['adapters', 'client']);
    const licences = readFileSync(
      join(installed, '@writecheck/adapters/dist/THIRD-PARTY-LICENSES.txt'),
      'utf8',
    );
    expect(licences).toMatch(/^canonicalize [\d.]+\n/);
  });

  it('work in plain JavaScript, each without the frameworks it is not for', () => {
    writeFileSync(
      join(project, 'program.js'),
      `
      import { createClient } from '@writecheck/client';
      import { guardTool } from '@writecheck/adapters/ai-sdk';
      import { guardTool as guardFunctionTool } from '@writecheck/adapters/openai-agents';
      import { preToolUse } from '@writecheck/adapters/claude';
      import { guardCall } from '@writecheck/adapters/guard';
      import { readMapping, toolMapOf } from '@writecheck/adapters/mapping';

      const client = createClient({ apiKey: 'wck_dev_none', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200 });
      const intent = () => ({ system: 'crm', operation: 'contact.update' });
      const ran = [];
      const guarded = guardTool({ execute: () => ran.push('ai') }, { name: 't', client, intent });
      const error = await guarded.execute({}, {}).catch((thrown) => thrown.name);
      const tool = guardFunctionTool({ name: 't', invoke: async () => ran.push('openai') }, { client, intent });
      const said = await tool.invoke(undefined, '{}');
      const { mapping } = readMapping({ write: { t: { intent: intent() } } });
      const hook = preToolUse({ client, ...toolMapOf(mapping, '.') });
      const output = await hook({ hook_event_name: 'PreToolUse', tool_name: 't', tool_input: {} });
      const call = await guardCall({ client }, { tool: 't', makeIntent: intent, run: () => ran.push('call') });
      console.log(JSON.stringify({
        ran, error, said, kind: call.kind, denied: output.hookSpecificOutput.permissionDecision,
      }));
      `,
    );
    expect(JSON.parse(run(process.execPath, ['program.js'], project))).toEqual({
      ran: [],
      error: 'WriteStopped',
      said: expect.stringContaining('Not executed'),
      kind: 'stopped',
      denied: 'deny',
    });
  });

  it('have types that fit the frameworks', { timeout: 120_000 }, () => {
    for (const name of ['ai', 'langchain', '@openai', '@langchain', 'zod', '@ai-sdk']) {
      symlinkSync(join(root, 'node_modules', name), join(installed, name));
    }
    writeFileSync(
      join(project, 'typed.ts'),
      `
      import { guardTool } from '@writecheck/adapters/ai-sdk';
      import { writecheckMiddleware } from '@writecheck/adapters/langchain';
      import { guardTool as guardFunctionTool } from '@writecheck/adapters/openai-agents';
      import { type Client, createClient } from '@writecheck/client';
      import { Agent, tool as functionTool } from '@openai/agents';
      import { tool, type ToolSet } from 'ai';
      import { createAgent, fakeModel } from 'langchain';
      import { z } from 'zod';

      const client: Client = createClient({ apiKey: 'k', baseUrl: 'http://x' });
      const inputSchema = z.object({ id: z.string() });
      const plain = tool({ inputSchema, execute: async ({ id }) => id });
      export const tools: ToolSet = {
        t: guardTool(plain, { name: 't', client, intent: ({ id }) => ({ system: 'crm', objectRef: id }) }),
      };
      // @ts-expect-error the input of the tool has no such member
      guardTool(plain, { name: 't', client, intent: ({ name }) => ({ system: 'crm', objectRef: name }) });
      export const agent = createAgent({
        model: fakeModel(),
        tools: [],
        middleware: [writecheckMiddleware({ client, write: { t: () => ({ system: 'crm' }) } })],
      });
      const fn = functionTool({ name: 't', description: 't', parameters: inputSchema, execute: async ({ id }) => id });
      export const other = new Agent({
        name: 'a',
        tools: [guardFunctionTool(fn, { client, intent: () => ({ system: 'crm' }) })],
      });
      `,
    );
    const compilerOptions = {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['typed.ts'] }));
    expect(run('tsc', ['-p', '.'], project)).toBe('');
    run(
      process.execPath,
      ['--input-type=module', '-e', `await import('@writecheck/adapters/langchain')`],
      project,
    );
  });

  it('satisfy publint and are-the-types-wrong', { timeout: 60_000 }, () => {
    expect(run('publint', ['--strict', join(installed, '@writecheck/adapters')], project)).toContain(
      'All good!',
    );
    const tarball = readdirSync(project).find((name) => name.includes('adapters'))!;
    expect(run('attw', ['--profile', 'esm-only', tarball], project)).toContain('🟢');
  });
});
