/** A model without a network: calls the tool once, then repeats the result. Replace it with a real one. */
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

export function scriptedModel(toolName: string, input: unknown, toolCallId: string): LanguageModel {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }): Promise<Generated> => {
      const last = prompt.at(-1)!;
      if (last.role !== 'tool') {
        return {
          content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage: USAGE,
          warnings: [],
        };
      }
      const told = last.content.map((part) =>
        part.type === 'tool-result' && 'value' in part.output ? String(part.output.value) : '',
      );
      return {
        content: [{ type: 'text', text: told.join('\n') }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: USAGE,
        warnings: [],
      };
    },
  });
}
