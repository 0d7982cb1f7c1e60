/** OpenAI Agents SDK: a function tool that runs only on a valid allow. */
import type { FunctionTool } from '@openai/agents';
import type { WriteIntent } from '@writecheck/client';
import { type GuardSettings, guardCall } from './guard-call.ts';

export type { GuardSettings, StoppedCall } from './guard-call.ts';

export interface GuardToolOptions extends GuardSettings {
  /** Gets the arguments as the model sent them: what a schema changes afterwards is not seen here. */
  readonly intent: (args: unknown) => WriteIntent | PromiseLike<WriteIntent>;
}

/** The same tool, guarded. When it is stopped, its output is the message that says why. */
export function guardTool<Context, Tool extends FunctionTool<Context, never, unknown>>(
  tool: Tool,
  options: GuardToolOptions,
): Tool {
  return {
    ...tool,
    async invoke(...[context, input, details]: Parameters<Tool['invoke']>) {
      const guarded = await guardCall(options, {
        tool: tool.name,
        makeIntent: () => options.intent(JSON.parse(input)),
        run: () => tool.invoke(context, input, details),
        signal: details?.signal,
      });
      return guarded.kind === 'executed' ? guarded.result : guarded.stopped.message;
    },
  };
}
