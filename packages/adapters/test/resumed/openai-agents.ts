/** Resumes a run of the OpenAI Agents SDK from its serialized state. */
import { Agent, type Model, Runner, RunState, tool, Usage } from '@openai/agents';
import { guardTool } from '../../src/openai-agents.ts';
import { ARGS, ASKED, type Framework, intent, type Resumable, schema, TOOL } from './resumable.ts';

export const openaiAgents: Framework = {
  async begin(parts, callId) {
    const agent = agentOf(parts, callId);
    const { state, interruptions } = await new Runner({ tracingDisabled: true }).run(agent, ASKED);
    state.approve(interruptions[0]!);
    return state.toString();
  },
  async resume(parts, saved) {
    const agent = agentOf(parts, '');
    const { history } = await new Runner({ tracingDisabled: true }).run(
      agent,
      await RunState.fromString(agent, saved),
    );
    return JSON.stringify(history);
  },
};

function agentOf({ client, write }: Resumable, callId: string) {
  const call = { type: 'function_call', callId, name: TOOL, status: 'completed' } as const;
  const done = { type: 'message', role: 'assistant', status: 'completed' } as const;
  const output =
    callId === ''
      ? { ...done, content: [{ type: 'output_text' as const, text: 'done' }] }
      : { ...call, arguments: JSON.stringify(ARGS) };
  const model: Model = {
    getResponse: async () => ({ usage: new Usage(), output: [output] }),
    getStreamedResponse() {
      throw new Error('this model does not stream');
    },
  };
  const plain = tool({
    name: TOOL,
    description: 'updates',
    parameters: schema,
    needsApproval: true,
    execute: async (args) => write(args),
  });
  return new Agent({ name: 'crm', model, tools: [guardTool(plain, { client, intent })] });
}
