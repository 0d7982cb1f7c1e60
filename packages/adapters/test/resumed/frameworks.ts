/** The frameworks whose runs are resumed. */
import type { Framework } from './resumable.ts';

/** Loaded one by one, because each takes a second to load. */
export const FRAMEWORKS: { readonly [name: string]: () => Promise<Framework> } = {
  LangGraph: async () => (await import('./langgraph.ts')).langGraph,
  'OpenAI Agents': async () => (await import('./openai-agents.ts')).openaiAgents,
  'AI SDK': async () => (await import('./ai-sdk.ts')).aiSdk,
};
