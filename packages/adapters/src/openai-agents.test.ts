import { Agent, type Model, Runner, tool, Usage } from '@openai/agents';
import { createClient } from '@writecheck/client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { answerWith, startHonestService, startHostileServer } from '../../../conformance/client-kit/index.ts';
import { ARGS, describeAdapter, describeHandOver, intentOf, type Loop, TOOL } from '../test/adapter-suite.ts';
import { describeRepeats } from '../test/repeat-suite.ts';
import { describeReviews } from '../test/review-suite.ts';
import { approvalOnPause, decisionOf, guardTool } from './openai-agents.ts';

const parameters = z.object({ id: z.string(), email: z.string() });

async function runLoop(
  { write, ...guard }: Loop,
  limit: { readonly timeoutMs?: number } = {},
  callId = '1',
): Promise<string> {
  const told: unknown[] = [];
  const model: Model = {
    async getResponse({ input }) {
      told.push(input);
      return told.length === 1
        ? {
            usage: new Usage(),
            output: [
              {
                type: 'function_call',
                callId,
                name: guard.tool,
                arguments: JSON.stringify(ARGS),
                status: 'completed',
              },
            ],
          }
        : {
            usage: new Usage(),
            output: [
              {
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: 'done' }],
              },
            ],
          };
    },
    getStreamedResponse() {
      throw new Error('this model does not stream');
    },
  };
  const plain = tool({
    name: guard.tool,
    description: 'updates',
    parameters,
    execute: (args, _context, details) => write(args, decisionOf(details)),
    ...limit,
  });
  const agent = new Agent({ name: 'crm', model, tools: [guardTool(plain, guard)] });
  await new Runner({ tracingDisabled: true }).run(agent, 'update the contact');
  return JSON.stringify(told.at(-1));
}

describeAdapter('the OpenAI Agents adapter', (loop) => runLoop(loop));
describeHandOver('the OpenAI Agents adapter', (loop) => runLoop(loop));
describeReviews('the OpenAI Agents adapter', (id) => (loop) => runLoop(loop, {}, id));
describeRepeats('the OpenAI Agents adapter', (id) => (loop) => runLoop(loop, {}, id));

it('an allow that comes after the tool timed out does not run it', async () => {
  const server = await startHostileServer((attack) => {
    setTimeout(() => answerWith({})(attack), 300);
  }, 2000);
  const client = createClient({ apiKey: 'k', baseUrl: server.baseUrl });
  let ran = false;
  const write = async () => {
    ran = true;
    return '';
  };
  await runLoop({ client, tool: TOOL, intent: intentOf, write }, { timeoutMs: 100 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await server.close();
  expect(ran).toBe(false);
});

it('a tool that needs the approval of the SDK still waits for it, and no review is opened before', async () => {
  let asked = false;
  const plain = tool({
    name: TOOL,
    description: 'updates',
    parameters,
    needsApproval: async (_context, { email }) => email === ARGS.email,
    execute: async () => 'it ran',
  });
  const client = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200, retries: 0 });
  const intent = (args: unknown) => {
    asked = true;
    return intentOf(args);
  };
  const model: Model = {
    getResponse: async () => ({
      usage: new Usage(),
      output: [
        {
          type: 'function_call',
          callId: '1',
          name: TOOL,
          arguments: JSON.stringify(ARGS),
          status: 'completed',
        },
      ],
    }),
    getStreamedResponse() {
      throw new Error('this model does not stream');
    },
  };
  const agent = new Agent({ name: 'crm', model, tools: [guardTool(plain, { client, intent })] });
  const { interruptions } = await new Runner({ tracingDisabled: true }).run(agent, 'update the contact');
  expect(interruptions).toHaveLength(1);
  expect(asked).toBe(false);
});

it('a call whose review is open interrupts the run, and runs once the review is approved', async () => {
  const service = await startHonestService();
  const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' });
  const options = { client, intent: intentOf };
  const written: unknown[] = [];
  const plain = tool({
    name: TOOL,
    description: 'updates',
    parameters,
    needsApproval: approvalOnPause(TOOL, options),
    execute: async (args) => {
      written.push(args);
      return 'updated';
    },
  });
  const call = { type: 'function_call', callId: 'call_1', name: TOOL, status: 'completed' } as const;
  const done = { type: 'message', role: 'assistant', status: 'completed' } as const;
  let asked = 0;
  const model: Model = {
    getResponse: async () => {
      asked += 1;
      return {
        usage: new Usage(),
        output: [
          asked === 1
            ? { ...call, arguments: JSON.stringify(ARGS) }
            : { ...done, content: [{ type: 'output_text', text: 'done' }] },
        ],
      };
    },
    getStreamedResponse() {
      throw new Error('this model does not stream');
    },
  };
  const agent = new Agent({ name: 'crm', model, tools: [guardTool(plain, options)] });
  const runner = new Runner({ tracingDisabled: true });
  const first = await runner.run(agent, 'update the contact');
  expect(first.interruptions).toHaveLength(1);
  expect(written).toEqual([]);
  service.resolve(service.reviews[0]!.id, 'approved');
  first.state.approve(first.interruptions[0]!);
  const { finalOutput } = await runner.run(agent, first.state);
  await service.close();
  expect(finalOutput).toBe('done');
  expect(service.reviews).toHaveLength(1);
  expect(written).toEqual([ARGS]);
});
