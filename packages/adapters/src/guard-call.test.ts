import { createClient } from '@writecheck/client';
import { describe, expect, it } from 'vitest';
import { answerWith, startHonestService, startHostileServer } from '../../../conformance/client-kit/index.ts';
import { guardCall } from './guard-call.ts';
import { withArguments } from './name-write.ts';
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

it('an error of the tool is thrown unchanged', async () => {
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

describe('arguments that do not fit into an intent', () => {
  it.each([
    ['too long', { content: 'é'.repeat(10_000) }],
    ['nested too deep', JSON.parse(`${'['.repeat(40)}1${']'.repeat(40)}`)],
    ['half a character', { content: '\ud800' }],
    ['no JSON', { n: 1n }],
    ['a name no reader reads alike', JSON.parse('{"__proto__":1}')],
  ])('open no review, and the model learns why: %s', async (_, args) => {
    const service = await startHonestService();
    const client = createClient({ apiKey: 'k', baseUrl: service.baseUrl });
    const call = { tool: 't', args, makeIntent: () => intent, run: () => 'ran' };
    const guarded = await guardCall({ client }, call);
    const off = await guardCall({ client, review: 'off' }, call);
    await service.close();
    expect(guarded).toMatchObject({
      kind: 'stopped',
      stopped: { message: expect.stringContaining('No reviewer could be asked: the arguments do not fit') },
    });
    expect(off).toMatchObject({ stopped: { message: expect.not.stringContaining('No reviewer') } });
    expect(service.requests).toEqual(['POST /v1/check-write', 'POST /v1/check-write']);
  });

  it('other arguments are included, next to what the mapping put there, and a second time changes nothing', () => {
    const given = { ...intent, metadata: { agent: 'a', context: { tool: 't', arguments: 'forged' } } };
    const carried = withArguments(given, { id: 1, on: new Date(0) });
    expect(carried).toEqual({
      fits: true,
      intent: {
        ...intent,
        metadata: {
          agent: 'a',
          context: { tool: 't', arguments: { id: 1, on: '1970-01-01T00:00:00.000Z' } },
        },
      },
    });
    expect(withArguments(carried.intent, { id: 1, on: new Date(0) })).toEqual(carried);
  });
});

it('a call that waits is checked again with the evidence that the mapping finds then', async () => {
  const service = await startHonestService();
  const bodies: { controlEvidence: readonly { source: string }[] }[] = [];
  const client = createClient({
    apiKey: 'k',
    baseUrl: service.baseUrl,
    fetch: (url, init) => {
      if (url.endsWith('/check-write')) bodies.push(JSON.parse(String(init.body)));
      if (url.endsWith('/v1/reviews'))
        setTimeout(() => service.resolve(service.reviews[0]!.id, 'approved'), 200);
      return fetch(url, init);
    },
  });
  let made = 0;
  const makeIntent = () => {
    made += 1;
    return {
      ...intent,
      controlEvidence: [{ controlId: 'identity', source: `session-${made}`, result: 'PASS' }],
    };
  };
  const call = { tool: 't', args: { id: 1 }, makeIntent, run: () => 'ran' };
  const guarded = await guardCall({ client, review: 'wait', reviewWaitMs: 10_000 }, call);
  await service.close();
  expect(guarded).toEqual({ kind: 'executed', result: 'ran' });
  expect(bodies.map(({ controlEvidence }) => controlEvidence.map(({ source }) => source))).toEqual([
    ['session-1'],
    ['session-2', 'review-desk'],
  ]);
});
