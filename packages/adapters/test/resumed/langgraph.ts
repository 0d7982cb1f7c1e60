/** Resumes a LangGraph run from its checkpoint. */
import { deserialize, serialize } from 'node:v8';
import { MemorySaver } from '@langchain/langgraph';
import { AIMessage, createAgent, fakeModel, tool } from 'langchain';
import { writecheckMiddleware } from '../../src/langchain.ts';
import { ARGS, ASKED, type Framework, intent, type Resumable, schema, TOOL } from './resumable.ts';

export const langGraph: Framework = {
  async begin(parts, callId) {
    const saver = new MemorySaver();
    const input = { messages: [{ role: 'user', content: ASKED }] };
    await graphOf(parts, saver, callId).graph.invoke(input, { ...THREAD, interruptBefore: ['tools'] });
    return serialize({ storage: saver.storage, writes: saver.writes }).toString('base64');
  },
  async resume(parts, saved) {
    const saver = new MemorySaver();
    Object.assign(saver, deserialize(Buffer.from(saved, 'base64')));
    const { messages } = await graphOf(parts, saver, '').invoke(null, THREAD);
    return JSON.stringify(messages);
  },
};

const THREAD = { configurable: { thread_id: 't-1' } };

function graphOf({ client, write }: Resumable, checkpointer: MemorySaver, callId: string) {
  const calling = fakeModel().respondWithTools([{ name: TOOL, args: ARGS, id: callId }]);
  const model = callId === '' ? fakeModel().respond(new AIMessage('done')) : calling;
  return createAgent({
    model,
    checkpointer,
    tools: [tool(write, { name: TOOL, description: 'updates', schema })],
    middleware: [writecheckMiddleware({ client, write: { [TOOL]: intent } })],
  });
}
