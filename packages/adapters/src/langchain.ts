/** LangChain: a middleware through which every tool call of an agent goes. */
import type { AllowDecision } from '@writecheck/client';
import { createMiddleware, ToolMessage } from 'langchain';
import { callIdFrom } from './call-id.ts';
import type { GuardSettings } from './guard-call.ts';
import { guardMapped, type ToolMap } from './tool-map.ts';

export { withArguments } from './call-arguments.ts';
export type { GuardSettings, NamedCall, ReviewMode, StoppedCall } from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export type { IntentFromArgs, ToolMap } from './tool-map.ts';

export interface WritecheckMiddlewareOptions extends GuardSettings, ToolMap {}

/** Put it last in the list: what comes after it could still change the arguments it has asked about. */
export function writecheckMiddleware(options: WritecheckMiddlewareOptions) {
  return createMiddleware({
    name: 'writecheck',
    async wrapToolCall(request, handler) {
      const { name, args, id } = request.toolCall;
      const guarded = await guardMapped(options, {
        tool: name,
        args,
        callId: callIdFrom(name, id, request.runtime.configurable?.thread_id),
        run: (decision) => handler({ ...request, tool: handingOver(request.tool, decision) }),
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
 * The allow that a guarded tool runs on, with its receipt if `receipt: true` asked for one. `config` is what LangChain gives
 * to the tool beside its arguments; undefined if the tool was not run by the middleware.
 */
export function decisionOf(config: object | undefined): AllowDecision | undefined {
  return (config as { readonly [MEMBER]?: AllowDecision } | undefined)?.[MEMBER];
}

const MEMBER = 'writecheckDecision';

/** LangChain makes the config anew on its way to the tool, so the decision goes in at the last door: the tool's `invoke`. */
function handingOver<T>(tool: T, decision: AllowDecision | undefined): T {
  const { invoke } = (tool ?? {}) as { invoke?: (input: unknown, config?: object) => unknown };
  if (decision === undefined || typeof invoke !== 'function') return tool;
  const value = (input: unknown, config?: object) =>
    invoke.call(tool, input, { ...config, [MEMBER]: decision });
  return Object.create(tool as object, { invoke: { value } });
}
