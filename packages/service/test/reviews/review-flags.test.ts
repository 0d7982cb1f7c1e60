/** `--review` of the commands between a model and its writes, against a service with its own reviews. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { runWritecheck } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { WRITECHECK } from '../writecheck-program.ts';

const BEHIND = join(import.meta.dirname, '../agents/mcp-server-behind.ts');
const TIMEOUT = 60_000;

let service: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  env = { WRITECHECK_URL: service.url, WRITECHECK_API_KEY: service.developmentKey };
}, TIMEOUT);
afterAll(() => service.stop());

async function started(args: readonly string[], cwd = tmpdir()): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const command = [...WRITECHECK, ...args];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: command, env, cwd, stderr: 'ignore' }),
  );
  return client;
}

async function openReviews(): Promise<readonly { id: string; intentDigest: string; intent: object }[]> {
  const { body } = await ask(`${service.url}/v1/reviews?state=open`, { key: service.ownerKey });
  return (body as { reviews: [] }).reviews;
}

async function approveTheOne(): Promise<object> {
  const [review, ...others] = await openReviews();
  expect(others).toEqual([]);
  const { id, intentDigest, intent } = review!;
  const json = { verdict: 'approve', intentDigest };
  const { status } = await ask(`${service.url}/v1/reviews/${id}/verdicts`, { key: service.ownerKey, json });
  expect(status).toBe(200);
  return intent;
}

const textOf = (result: unknown) => JSON.stringify((result as { content: unknown }).content);

test(
  'the proxy forwards the repeated call once a person has approved it with all its arguments',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-review-'));
    const update = { intent: { system: 'crm', operation: 'contact.update', requiredControls: ['approval'] } };
    writeFileSync(join(folder, 'tools.json'), JSON.stringify({ write: { update_contact: update } }));
    const behind = [
      '--',
      process.execPath,
      '--conditions=writecheck-source',
      BEHIND,
      join(folder, 'calls'),
      '',
    ];
    const client = await started(['mcp-proxy', '--mapping', join(folder, 'tools.json'), ...behind], folder);
    const args = { id: 'c-1', email: 'a@example.org' };
    const call = { name: 'update_contact', arguments: args };
    expect(textOf(await client.callTool(call))).toContain('Repeating the same call');
    expect(await approveTheOne()).toMatchObject({ metadata: { context: { arguments: args } } });
    expect(textOf(await client.callTool(call))).toContain('update_contact is done');
    await client.close();
  },
  TIMEOUT,
);

test(
  'the hook permits the repeated call once a person has approved it, and refuses another mode',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-review-'));
    const mapping = join(folder, 'tools.json');
    const update = { intent: { system: 'erp', operation: 'vendor.update', requiredControls: ['approval'] } };
    writeFileSync(mapping, JSON.stringify({ write: { update } }));
    const hook = (id: string, ...flags: readonly string[]) => {
      const input = { hook_event_name: 'PreToolUse', session_id: 's', tool_use_id: id, tool_name: 'update' };
      const stdin = JSON.stringify({ ...input, tool_input: { id: 'v-1' } });
      return runWritecheck(['hook', 'claude', '--mapping', mapping, ...flags], env, stdin);
    };
    expect((await hook('toolu_1', '--review', 'sometimes')).code).toBe(2);
    expect(await hook('toolu_2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A person was asked'),
    });
    await approveTheOne();
    expect(await hook('toolu_3')).toMatchObject({ code: 0, stderr: '' });
  },
  TIMEOUT,
);
