/** LangChain: a middleware that every tool call of an agent goes through. */
import type { AllowDecision } from '@writecheck/client';
import { createMiddleware, ToolMessage } from 'langchain';
import { callIdFrom } from './call-id.ts';
import type { GuardSettings } from './guard-call.ts';
import { guardMapped, type ToolMap } from './tool-map.ts';

export type { GuardSettings, NamedCall, ReviewedCall, ReviewMode, StoppedCall } from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { withArguments } from './name-write.ts';
export type { IntentFromArgs, ToolMap } from './tool-map.ts';

export interface WritecheckMiddlewareOptions extends GuardSettings, ToolMap {}

/** Put it last in the list: a later middleware could still change the arguments after the check. */
export function writecheckMiddleware(options: WritecheckMiddlewareOptions) {
  return createMiddleware({
    name: 'writecheck',
    async wrapToolCall(request, handler) {
      const { name, args, id } = request.toolCall;
      let thrown: unknown;
      const guarded = await guardMapped(options, {
        tool: name,
        args,
        context: request.runtime,
        callId: callIdFrom(name, id, request.runtime.configurable?.thread_id),
        run: (decision) => {
          const tool = handingOver(request.tool, decision, (error) => {
            thrown = error;
          });
          return handler({ ...request, tool });
        },
        thrown: () => thrown,
        hasFailed: (output) => ToolMessage.isInstance(output) && output.status === 'error',
        signal: request.runtime.signal,
      });
      if (guarded.kind === 'executed') return guarded.result;
      return new ToolMessage({
        content: guarded.stopped.message,
        name,
        tool_call_id: id ?? '',
        status: 'error',
      });
    },
  });
}

/**
 * The allow that a guarded tool runs on. `config` is what LangChain passes to the tool with its arguments. Undefined
 * if the middleware did not run the tool.
 */
export function decisionOf(config: object | undefined): AllowDecision | undefined {
  return (config as { readonly [MEMBER]?: AllowDecision } | undefined)?.[MEMBER];
}

const MEMBER = 'writecheckDecision';

/**
 * LangChain recreates the config on its way to the tool, so the decision is added at the last step: the tool's
 * `invoke`.
 */
function handingOver<T>(tool: T, decision: AllowDecision | undefined, onThrown: (error: unknown) => void): T {
  const { invoke } = (tool ?? {}) as { invoke?: (input: unknown, config?: object) => unknown };
  if (decision === undefined || typeof invoke !== 'function') return tool;
  // LangChain turns an error of a tool into a message.
  const value = async (input: unknown, config?: object) => {
    try {
      return await invoke.call(tool, input, { ...config, [MEMBER]: decision });
    } catch (error) {
      onThrown(error);
      throw error;
    }
  };
  return Object.create(tool as object, { invoke: { value } });
}
