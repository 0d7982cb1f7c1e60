/**
 * The programs of docs/frameworks, run as a newcomer would: as written, against a fresh service with the policy of the
 * page.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../start-service.ts';

const docs = join(import.meta.dirname, '../../../../docs/frameworks');
const blocksOf = (page: string, language: string): readonly string[] =>
  [
    ...readFileSync(join(docs, page), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'),
    ),
  ].map(([, code]) => code!);

/** Below the adapters, so that imports resolve as they do for a user. */
const modules = join(import.meta.dirname, '../../../adapters/node_modules');
mkdirSync(modules, { recursive: true });
const scratch = mkdtempSync(join(modules, '.docs-run-'));
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const policy = blocksOf('README.md', 'yaml').find((text) => text.startsWith('kind:'))!;
  const applied = await fetch(`${service.url}/v1/policies`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/yaml' },
    body: policy,
  });
  expect(applied.status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  rmSync(scratch, { recursive: true, force: true });
});

/** What a reader supplies. */
const THEIRS = `
  const crm = { update: async (id, change) => { console.log('wrote', id, change.email); return 'updated'; } };
  const item = { controlId: 'approval', source: 'service-desk', result: 'PASS' };
  const approvals = { of: async () => (process.env.APPROVED === 'yes' ? [item] : []) };
  const reviewQueue = { add: async ({ decision }) => console.log('queued', decision.reason_code) };
  const CALL = { id: 'c-1042', email: 'ada@example.org' };
`;

const AI_SDK = `
  import { MockLanguageModelV4 } from 'ai/test';
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
  const rest = { usage, warnings: [] };
  const toolCall = () => ({ type: 'tool-call', toolCallId: '1', toolName: 'update_contact', input: JSON.stringify(CALL) });
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => prompt.at(-1).role === 'tool'
      ? { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, ...rest }
      : { content: [toolCall()], finishReason: { unified: 'tool-calls' }, ...rest },
  });
`;
const OPENAI = `
  import { Runner, Usage } from '@openai/agents';
  let turns = 0;
  const call = () => ({ type: 'function_call', callId: '1', name: 'update_contact', arguments: JSON.stringify(CALL), status: 'completed' });
  const text = () => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] });
  const ownModel = { getResponse: async () => ({ usage: new Usage(), output: [turns++ === 0 ? call() : text()] }) };
`;

interface PageRun {
  readonly page: string;
  /** Runs before the program: a model that calls the tool once. */
  readonly before: string;
  readonly after: string;
  /** Replaces the remote model that a page names or uses by default. */
  readonly replace?: readonly [string, string];
}

const RUNS: readonly PageRun[] = [
  { page: 'ai-sdk.md', before: AI_SDK, after: '' },
  {
    page: 'langchain.md',
    before: `import { AIMessage, fakeModel } from 'langchain';
      const ownModel = fakeModel().respondWithTools([{ name: 'update_contact', args: { id: 'c-1042', email: 'ada@example.org' }, id: '1' }]).respond(new AIMessage('done'));`,
    replace: ["model: 'openai:gpt-5'", 'model: ownModel'],
    after: `await agent.invoke({ messages: [{ role: 'user', content: 'Ada has a new address' }] });`,
  },
  {
    page: 'openai-agents.md',
    before: OPENAI,
    replace: ["name: 'crm',", "name: 'crm', model: ownModel,"],
    after: `await new Runner({ tracingDisabled: true }).run(agent, 'Ada has a new address');`,
  },
  {
    page: 'claude.md',
    before: '',
    after: `
      const input = { hook_event_name: 'PreToolUse', tool_name: 'mcp__crm__update_contact', tool_input: CALL };
      const answer = await options.hooks.PreToolUse[0].hooks[0](input);
      if (!('hookSpecificOutput' in answer)) await crm.update(CALL.id, CALL);`,
  },
];

describe('the program of each page', () => {
  it.for(RUNS)('$page: waits for an approval, and writes with one', { timeout: 60_000 }, async (run) => {
    const [program = ''] = blocksOf(run.page, 'ts');
    const [named, own] = run.replace ?? ['', ''];
    expect(program).toContain(named);
    const source = `${THEIRS}${run.before}${program.replace(named, own)}${run.after}`;
    const file = join(scratch, `${run.page}.mjs`);
    const compilerOptions = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext };
    writeFileSync(file, ts.transpileModule(source, { compilerOptions }).outputText);
    const runWith = async (approved: 'yes' | 'no'): Promise<readonly string[]> => {
      const env = {
        ...process.env,
        APPROVED: approved,
        WRITECHECK_URL: service.url,
        WRITECHECK_API_KEY: service.developmentKey,
        NODE_OPTIONS: '',
      };
      const args = ['--conditions=writecheck-source', file];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
      return stdout.trim().split('\n');
    };
    expect(await runWith('no')).toEqual(['queued CONTROL_EVIDENCE_MISSING']);
    expect(await runWith('yes')).toEqual(['wrote c-1042 ada@example.org']);
  });
});
