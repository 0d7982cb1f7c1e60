import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createClient } from '@writecheck/client';
import { AIMessage, createAgent, fakeModel, tool } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerWith, startHonestService, startHostileServer } from '../../../conformance/client-kit/index.ts';
import {
  ARGS,
  describeAdapter,
  describeHandOver,
  intentOf,
  type Loop,
  sentIntent,
  TOOL,
} from '../test/adapter-suite.ts';
import { startRealService } from '../test/real-service.ts';
import { describeRepeats } from '../test/repeat-suite.ts';
import { describeReviews } from '../test/review-suite.ts';
import { decisionOf, writecheckMiddleware } from './langchain.ts';

const schema = z.object({ id: z.string(), email: z.string() });

interface Lists {
  readonly listed?: string;
  readonly read?: readonly string[];
  readonly signal?: AbortSignal;
  readonly id?: string;
}

async function invoke(
  { write, intent, ...loop }: Loop,
  { listed = loop.tool, read = [], signal, id = '1' }: Lists,
) {
  const model = fakeModel()
    .respondWithTools([{ name: loop.tool, args: ARGS, id }])
    .respond(new AIMessage('done'));
  const agent = createAgent({
    model,
    tools: [
      tool((args, config) => write(args, decisionOf(config)), {
        name: loop.tool,
        description: 'updates',
        schema,
      }),
    ],
    middleware: [writecheckMiddleware({ ...loop, write: { [listed]: intent }, read })],
  });
  const input = { messages: [{ role: 'user', content: 'update the contact' }] };
  const { messages } = await agent.invoke(input, signal ? { signal } : {});
  return JSON.stringify(messages);
}

describeAdapter('the LangChain middleware', (loop) => invoke(loop, {}));
describeHandOver('the LangChain middleware', (loop) => invoke(loop, {}));
describeReviews('the LangChain middleware', (id) => (loop) => invoke(loop, { id }));
describeRepeats('the LangChain middleware', (id) => (loop) => invoke(loop, { id }));

describe('the LangChain middleware with lists', () => {
  const written: unknown[] = [];
  const loop: Loop = {
    client: createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200, retries: 0 }),
    tool: TOOL,
    intent: intentOf,
    write: async (args) => {
      written.push(args);
      return 'it ran';
    },
  };

  it('runs a tool that is listed as read without a check', async () => {
    expect(await invoke(loop, { listed: 'another', read: [TOOL] })).toContain('it ran');
    expect(written.splice(0)).toEqual([ARGS]);
  });

  it('does not run a tool that is in no list', async () => {
    expect(await invoke(loop, { listed: 'another' })).toContain(
      'neither mapped to an intent nor listed as read',
    );
    expect(written).toEqual([]);
  });

  it('does not run a tool after the run was aborted', async () => {
    const server = await startHostileServer((attack) => {
      setTimeout(() => answerWith({})(attack), 300);
    }, 2000);
    const client = createClient({ apiKey: 'k', baseUrl: server.baseUrl });
    await invoke({ ...loop, client }, { signal: AbortSignal.timeout(100) }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 500));
    await server.close();
    expect(written).toEqual([]);
  });
});

it('a run that was interrupted on a pause continues once a person has approved', async () => {
  const service = await startRealService();
  const approvals: Awaited<ReturnType<typeof service.approve>>[] = [];
  const written: unknown[] = [];
  const write = (args: unknown) => {
    written.push(args);
    return 'updated';
  };
  const agent = createAgent({
    model: fakeModel()
      .respondWithTools([{ name: TOOL, args: ARGS, id: '1' }])
      .respond(new AIMessage('done')),
    tools: [tool(write, { name: TOOL, description: 'updates', schema })],
    checkpointer: new MemorySaver(),
    middleware: [
      writecheckMiddleware({
        client: createClient({ baseUrl: service.url, apiKey: service.apiKey }),
        write: { [TOOL]: (args) => ({ ...intentOf(args), controlEvidence: [...approvals] }) },
        onStopped: ({ decision, intent }) => {
          if (decision.decision === 'pause') interrupt({ decision_id: decision.decision_id, intent });
        },
      }),
    ],
  });
  const thread = { configurable: { thread_id: 't-1' } };
  const paused = await agent.invoke({ messages: [{ role: 'user', content: 'update' }] }, thread);
  expect(paused).toMatchObject({
    __interrupt__: [{ value: { decision_id: expect.stringMatching(/^dec_/), intent: intentOf(ARGS) } }],
  });
  expect(written).toEqual([]);
  approvals.push(await service.approve(sentIntent()));
  const { messages } = await agent.invoke(new Command({ resume: true }), thread);
  await service.stop();
  expect(written).toEqual([ARGS]);
  expect(messages.at(-1)?.content).toBe('done');
});

it('a run that was interrupted with its review is interrupted again if resumed too early, and continues after the approval', async () => {
  const service = await startHonestService();
  const written: unknown[] = [];
  const write = (args: unknown) => {
    written.push(args);
    return 'updated';
  };
  const agent = createAgent({
    model: fakeModel()
      .respondWithTools([{ name: TOOL, args: ARGS, id: '1' }])
      .respond(new AIMessage('done')),
    tools: [tool(write, { name: TOOL, description: 'updates', schema })],
    checkpointer: new MemorySaver(),
    middleware: [
      writecheckMiddleware({
        client: createClient({ baseUrl: service.baseUrl, apiKey: 'k' }),
        write: { [TOOL]: intentOf },
        onStopped: ({ review }) => {
          while (review?.state === 'open') interrupt({ review });
        },
      }),
    ],
  });
  const thread = { configurable: { thread_id: 't-1' } };
  const paused = await agent.invoke({ messages: [{ role: 'user', content: 'update' }] }, thread);
  const { id } = service.reviews[0]!;
  const interrupted = { __interrupt__: [{ value: { review: { id, state: 'open' } } }] };
  expect(paused).toMatchObject(interrupted);
  for (let early = 0; early < 3; early += 1)
    expect(await agent.invoke(new Command({ resume: true }), thread)).toMatchObject(interrupted);
  expect(written).toEqual([]);
  service.resolve(id, 'approved');
  const { messages } = await agent.invoke(new Command({ resume: true }), thread);
  await service.close();
  expect(service.reviews).toHaveLength(1);
  expect(written).toEqual([ARGS]);
  expect(messages.at(-1)?.content).toBe('done');
});
