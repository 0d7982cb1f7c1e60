/** Vercel AI SDK: a tool whose `execute` runs only on a valid allow. */
import type { WriteIntent } from '@writecheck/client';
import type { InferToolInput, Tool, ToolExecutionOptions } from 'ai';
import { callIdFrom } from './call-id.ts';
import { handOver } from './decision-of.ts';
import { type GuardSettings, guardCall, openReviewFor, type StoppedCall } from './guard-call.ts';

export { callIdFrom } from './call-id.ts';
export { decisionOf } from './decision-of.ts';
export type { GuardSettings, NamedCall, ReviewedCall, ReviewMode, StoppedCall } from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { withArguments } from './name-write.ts';

export interface GuardToolOptions<Input> extends GuardSettings {
  /** The tool's name, for messages and `onStopped`. */
  readonly name: string;
  /** Gets the same input as `execute`, already validated by its schema. */
  readonly intent: (input: Input) => WriteIntent | PromiseLike<WriteIntent>;
}

/** Thrown from `execute`: the SDK turns it into a `tool-error` part and shows its message to the model. */
export class WriteStopped extends Error {
  readonly stopped: StoppedCall;

  constructor(stopped: StoppedCall) {
    super(stopped.message);
    this.name = 'WriteStopped';
    this.stopped = stopped;
  }
}

/** The same tool, guarded. A tool that streams its output returns only its last value. */
export function guardTool<T extends Tool>(tool: T, options: GuardToolOptions<InferToolInput<T>>): T {
  const { execute } = tool;
  if (execute === undefined) {
    throw new TypeError(
      `the tool \`${options.name}\` has no \`execute\`, so it runs where nothing can guard it`,
    );
  }
  return {
    ...tool,
    async execute(input: InferToolInput<T>, context: ToolExecutionOptions<never>) {
      const guarded = await guardCall(options, {
        tool: options.name,
        callId: callIdFrom(options.name, context.toolCallId),
        args: input,
        context,
        makeIntent: () => options.intent(input),
        run: (decision) => {
          handOver(context, decision);
          return lastOutput(execute(input, context));
        },
        signal: context.abortSignal,
      });
      if (guarded.kind === 'executed') return guarded.result;
      throw new WriteStopped(guarded.stopped);
    },
  };
}

/**
 * Pass it to the SDK's `toolApproval`, with the options of the guard. A call whose review is open then waits as an
 * approval request of the SDK. Answering that request decides nothing; the guard runs the tool only once the review is
 * approved.
 */
export function approvalOnPause<Input>(options: GuardToolOptions<Input>) {
  return async (
    input: Input,
    context: { readonly toolCallId: string },
  ): Promise<'user-approval' | 'not-applicable'> => {
    const review = await openReviewFor(options, {
      tool: options.name,
      callId: callIdFrom(options.name, context.toolCallId),
      args: input,
      context,
      makeIntent: () => options.intent(input),
    });
    return review === undefined ? 'not-applicable' : 'user-approval';
  };
}

async function lastOutput(output: unknown): Promise<unknown> {
  if (!isAsyncIterable(output)) return output;
  let last: unknown;
  for await (const value of output) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
