import { createClient } from '@writecheck/client';
import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startHonestService } from '../../../conformance/client-kit/index.ts';
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
import { approvalOnPause, decisionOf, guardTool, WriteStopped, withArguments } from './ai-sdk.ts';

const inputSchema = z.object({ id: z.string(), email: z.string() });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function callingModel(toolName: string, toolCallId: string) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(ARGS) }],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          },
  });
}

async function runLoop({ write, tool: name, ...guard }: Loop, id = '1'): Promise<string> {
  const model = callingModel(name, id);
  const plain = tool({ inputSchema, execute: (input, options) => write(input, decisionOf(options)) });
  await generateText({
    model,
    prompt: 'update the contact',
    tools: { [name]: guardTool(plain, { name, ...guard }) },
    stopWhen: isStepCount(3),
  });
  return JSON.stringify(model.doGenerateCalls.at(-1)!.prompt);
}

describeAdapter('the AI SDK adapter', (loop) => runLoop(loop));
describeHandOver('the AI SDK adapter', (loop) => runLoop(loop));
describeReviews('the AI SDK adapter', (id) => (loop) => runLoop(loop, id));
describeRepeats('the AI SDK adapter', (id) => (loop) => runLoop(loop, id));

const nobody = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', timeoutMs: 500, retries: 0 });

it('refuses a tool without execute when it is wrapped, not when it is called', () => {
  const elsewhere = tool({ inputSchema, outputSchema: z.string() });
  expect(() => guardTool(elsewhere, { name: 'elsewhere', client: nobody, intent: intentOf })).toThrow(
    /has no `execute`/,
  );
});

it('a tool that streams its output does not begin before the allow', async () => {
  let began = false;
  const streaming = tool({
    inputSchema,
    async *execute() {
      began = true;
      yield 'half';
      yield 'whole';
    },
  });
  const stopped = guardTool(streaming, { name: 'streaming', client: nobody, intent: intentOf });
  const call = stopped.execute(ARGS, { toolCallId: '1', messages: [], context: {} });
  await expect(call).rejects.toBeInstanceOf(WriteStopped);
  expect(began).toBe(false);
});

it('a streamed run is stopped the same way, and the application finds the decision', async () => {
  let ran = false;
  const plain = tool({
    inputSchema,
    execute: async () => {
      ran = true;
      return '';
    },
  });
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'tool-call', toolCallId: '1', toolName: 'update', input: JSON.stringify(ARGS) },
        { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage },
      ]),
    }),
  });
  const update = guardTool(plain, { name: 'update', client: nobody, intent: intentOf });
  const { stream } = streamText({ model, prompt: 'update', tools: { update } });
  const errors: unknown[] = [];
  for await (const part of stream) if (part.type === 'tool-error') errors.push(part.error);
  expect(ran).toBe(false);
  expect(errors).toMatchObject([{ stopped: { decision: { reason_code: 'no_valid_decision' } } }]);
});

it("a call that waits for the SDK's own approval runs on the single-use approval that came meanwhile", async () => {
  const service = await startRealService();
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const approvals: Awaited<ReturnType<typeof service.approve>>[] = [];
  const intent = (input: z.infer<typeof inputSchema>) => ({
    ...intentOf(input),
    controlEvidence: [...approvals],
  });
  const written: unknown[] = [];
  const plain = tool({
    inputSchema,
    execute: async (input) => {
      written.push(input);
      return 'updated';
    },
  });
  const run = (messages: ModelMessage[]) =>
    generateText({
      model: callingModel(TOOL, 'call_1'),
      messages,
      tools: { [TOOL]: guardTool(plain, { name: TOOL, client, intent }) },
      toolApproval: {
        [TOOL]: async (input) => {
          const needed = await client.requirements(withArguments(intent(input), input).intent);
          const isPaused = needed.kind === 'requirements' && needed.evaluated.decision === 'pause';
          return isPaused ? 'user-approval' : 'not-applicable';
        },
      },
      stopWhen: isStepCount(3),
    });
  const messages: ModelMessage[] = [{ role: 'user', content: 'update the contact' }];
  const first = await run(messages);
  messages.push(...first.response.messages);
  const request = first.content.find((part) => part.type === 'tool-approval-request');
  expect(request).toBeDefined();
  expect(written).toEqual([]);
  approvals.push(await service.approve(sentIntent()));
  messages.push({
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: request!.approvalId, approved: true }],
  });
  await run(messages);
  await service.stop();
  expect(written).toEqual([ARGS]);
});

it("a call whose review is open waits as the SDK's approval request, and runs once the review is approved", async () => {
  const service = await startHonestService();
  const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' });
  const options = { name: TOOL, client, intent: intentOf };
  const toolCallId = crypto.randomUUID();
  const written: unknown[] = [];
  const plain = tool({ inputSchema, execute: async (input) => written.push(input) });
  const run = (messages: ModelMessage[]) =>
    generateText({
      model: callingModel(TOOL, toolCallId),
      messages,
      tools: { [TOOL]: guardTool(plain, options) },
      toolApproval: { [TOOL]: approvalOnPause(options) },
      stopWhen: isStepCount(3),
    });
  const answered = async (earlier: ModelMessage[]) => {
    const { content, response } = await run(earlier);
    const request = content.find((part) => part.type === 'tool-approval-request');
    return { request, messages: [...earlier, ...response.messages] };
  };
  const first = await answered([{ role: 'user', content: 'update the contact' }]);
  const { approvalId } = first.request!;
  const yes: ModelMessage = {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId, approved: true }],
  };
  // An approval in the SDK is not a review: the reviewers have not decided.
  await run([...first.messages, yes]);
  expect(written).toEqual([]);
  expect(service.reviews).toHaveLength(1);
  service.resolve(service.reviews[0]!.id, 'approved');
  await run([...first.messages, yes]);
  await service.close();
  expect(written).toEqual([ARGS]);
});

it("the question for the SDK uses up no approval if the call cannot share the guard's allow", async () => {
  const service = await startHonestService();
  const client = createClient({ baseUrl: service.baseUrl, apiKey: 'wck_test' });
  const options = { name: TOOL, client, intent: intentOf };
  const callOf = (toolCallId: string) => ({ toolCallId, messages: [], context: {} });
  const update = guardTool(tool({ inputSchema, execute: async () => 'updated' }), options);
  const approve = () => service.resolve(service.reviews.at(-1)!.id, 'approved');
  const first = callOf(crypto.randomUUID());
  await expect(update.execute(ARGS, first)).rejects.toThrow('A person was asked');
  approve();
  expect(await update.execute(ARGS, first)).toBe('updated');
  await expect(update.execute(ARGS, first)).rejects.toThrow('another run of this call');
  const second = callOf(crypto.randomUUID());
  await expect(update.execute(ARGS, second)).rejects.toThrow('A person was asked');
  approve();
  expect(await approvalOnPause(options)(ARGS, second)).toBe('not-applicable');
  expect(await update.execute(ARGS, second)).toBe('updated');
  await service.close();
});
