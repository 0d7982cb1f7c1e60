/** OpenAI Agents SDK: a function tool that runs only on a valid allow. */
import type { FunctionTool } from '@openai/agents';
import type { WriteIntent } from '@writecheck/client';
import { callIdFrom } from './call-id.ts';
import { handOver } from './decision-of.ts';
import { type GuardSettings, guardCall, openReviewFor } from './guard-call.ts';

export { decisionOf } from './decision-of.ts';
export type { GuardSettings, NamedCall, ReviewedCall, ReviewMode, StoppedCall } from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { withArguments } from './name-write.ts';

export interface GuardToolOptions extends GuardSettings {
  /** Gets the arguments as the model sent them: later changes by a schema are not visible here. */
  readonly intent: (args: unknown) => WriteIntent | PromiseLike<WriteIntent>;
}

/** The SDK's text for an exception, unless the tool has its own `errorFunction`. */
const SDK_FAILURE = 'An error occurred while running the tool. Please try again.';

/** The same tool, guarded. If it is stopped, its output is the message that says why. */
export function guardTool<Context, Tool extends FunctionTool<Context, never, unknown>>(
  tool: Tool,
  options: GuardToolOptions,
): Tool {
  return {
    ...tool,
    async invoke(...[context, input, details]: Parameters<Tool['invoke']>) {
      const guarded = await guardCall(options, {
        tool: tool.name,
        callId: callIdFrom(tool.name, details?.toolCall?.callId),
        args: argumentsIn(input),
        context,
        makeIntent: () => options.intent(JSON.parse(input)),
        run: (decision) => {
          handOver(details, decision);
          return tool.invoke(context, input, details);
        },
        hasFailed: (output) => output === SDK_FAILURE,
        signal: details?.signal,
      });
      return guarded.kind === 'executed' ? guarded.result : guarded.stopped.message;
    },
  };
}

/**
 * Pass it to `needsApproval` of the tool called `name`, with the options of its guard. A call whose review is open then
 * interrupts the run. Approving the interruption decides nothing; the guard runs the tool only once the review is
 * approved.
 */
export function approvalOnPause(name: string, options: GuardToolOptions) {
  return async (context: unknown, args: unknown, callId?: string): Promise<boolean> => {
    const makeIntent = () => options.intent(args);
    const call = { tool: name, callId: callIdFrom(name, callId), args, context, makeIntent };
    return (await openReviewFor(options, call)) !== undefined;
  };
}

/** Undefined if the model did not send JSON; then the mapping does not run either. */
function argumentsIn(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
}
