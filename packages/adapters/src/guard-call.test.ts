import { createClient } from '@writecheck/client';
import { answerWith, startHostileServer } from '@writecheck/client/fail-closed-kit';
import { expect, it } from 'vitest';
import { guardCall } from './guard-call.ts';
import { guardMapped } from './tool-map.ts';

const intent = { system: 'crm', operation: 'contact.update' };

it('an allow that comes after the framework gave up does not run the tool', async () => {
  const server = await startHostileServer((attack) => {
    setTimeout(() => answerWith({})(attack), 200);
  }, 2000);
  const client = createClient({ apiKey: 'k', baseUrl: server.baseUrl });
  let ran = false;
  const run = () => {
    ran = true;
  };
  const guarded = await guardCall(
    { client },
    { tool: 't', makeIntent: () => intent, run, signal: AbortSignal.timeout(50) },
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await server.close();
  expect(ran).toBe(false);
  expect(guarded).toMatchObject({ kind: 'stopped', stopped: { decision: { cause: { kind: 'aborted' } } } });
});

it('what the tool throws is thrown as it is', async () => {
  const server = await startHostileServer(answerWith({}), 2000);
  const client = createClient({ apiKey: 'k', baseUrl: server.baseUrl });
  const run = () => Promise.reject(new Error('the CRM is full'));
  await expect(guardCall({ client }, { tool: 't', makeIntent: () => intent, run })).rejects.toThrow(
    'the CRM is full',
  );
  await server.close();
});

it('a tool that is listed as both is a write', async () => {
  const client = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200, retries: 0 });
  const lists = { client, write: { t: () => intent }, read: ['t'] };
  const guarded = await guardMapped(lists, { tool: 't', args: {}, run: () => 'ran' });
  expect(guarded.kind).toBe('stopped');
});
