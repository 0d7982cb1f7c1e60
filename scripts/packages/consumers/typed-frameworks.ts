/** A TypeScript program that uses the frameworks; compiled, never run. */
import { Agent, tool as functionTool } from '@openai/agents';
import { guardTool } from '@writecheck/adapters/ai-sdk';
import { writecheckMiddleware } from '@writecheck/adapters/langchain';
import { guardTool as guardFunctionTool } from '@writecheck/adapters/openai-agents';
import { type Client, createClient } from '@writecheck/client';
import { type ToolSet, tool } from 'ai';
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
const fn = functionTool({
  name: 't',
  description: 't',
  parameters: inputSchema,
  execute: async ({ id }) => id,
});
export const other = new Agent({
  name: 'a',
  tools: [guardFunctionTool(fn, { client, intent: () => ({ system: 'crm' }) })],
});
