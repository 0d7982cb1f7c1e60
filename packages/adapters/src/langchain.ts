/** LangChain: a middleware through which every tool call of an agent goes. */
import { createMiddleware, ToolMessage } from 'langchain';
import { callIdFrom } from './call-id.ts';
import type { GuardSettings } from './guard-call.ts';
import { guardMapped, type ToolMap } from './tool-map.ts';

export type { GuardSettings, NamedCall, StoppedCall } from './guard-call.ts';
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
        run: () => handler(request),
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
