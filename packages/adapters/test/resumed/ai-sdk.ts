/** Resumes a generation of the AI SDK from its messages, after an approval. */
import { generateText, isStepCount, type ModelMessage, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { guardTool } from '../../src/ai-sdk.ts';
import { ARGS, ASKED, type Framework, intent, type Resumable, schema, TOOL } from './resumable.ts';

export const aiSdk: Framework = {
  async begin(parts, callId) {
    const messages: ModelMessage[] = [{ role: 'user', content: ASKED }];
    const { content, response } = await generateText({ ...generationOf(parts, callId), messages });
    const request = content.find((part) => part.type === 'tool-approval-request')!;
    const { approvalId } = request;
    messages.push(...response.messages, {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: true }],
    });
    return JSON.stringify(messages);
  },
  async resume(parts, saved) {
    const messages = JSON.parse(saved) as ModelMessage[];
    const generation = generationOf(parts, '');
    await generateText({ ...generation, messages });
    return JSON.stringify(generation.model.doGenerateCalls.at(-1)!.prompt);
  },
};

function generationOf({ client, write }: Resumable, callId: string) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      ...(callId === ''
        ? {
            content: [{ type: 'text' as const, text: 'done' }],
            finishReason: { unified: 'stop' as const, raw: undefined },
          }
        : {
            content: [
              { type: 'tool-call' as const, toolCallId: callId, toolName: TOOL, input: JSON.stringify(ARGS) },
            ],
            finishReason: { unified: 'tool-calls' as const, raw: undefined },
          }),
      usage,
      warnings: [],
    }),
  });
  const plain = tool({ inputSchema: schema, execute: async (input) => write(input) });
  return {
    model,
    tools: { [TOOL]: guardTool(plain, { name: TOOL, client, intent }) },
    toolApproval: { [TOOL]: () => 'user-approval' as const },
    stopWhen: isStepCount(2),
  };
}
