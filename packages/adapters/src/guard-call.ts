/** What every adapter does with a tool call: make its intent, ask, then run the tool or say why it was not run. */
import {
  type Client,
  type LocalDecision,
  localDecision,
  type StopDecision,
  type WriteIntent,
} from '@writecheck/client';
import { stopMessage } from './stop-message.ts';

export interface StoppedCall {
  readonly tool: string;
  readonly decision: StopDecision | LocalDecision;
  /** What the model is told. */
  readonly message: string;
  /** Left out where the mapping failed to make one. */
  readonly intent?: WriteIntent;
  /** What the mapping threw. It is for the application and never shown to the model. */
  readonly error?: unknown;
}

/** A caller's part: how to ask, and where a stopped call goes. */
export interface GuardSettings {
  readonly client: Client;
  /** The place to send a pause to a person. It is awaited; what it throws reaches the framework. */
  readonly onStopped?: (stopped: StoppedCall) => void | PromiseLike<void>;
}

export interface ToolCall<T> {
  readonly tool: string;
  readonly makeIntent: () => WriteIntent | PromiseLike<WriteIntent>;
  readonly run: () => T | PromiseLike<T>;
  /** The framework's own: when it gives up on the call, a late allow must not run the tool. */
  readonly signal?: AbortSignal | undefined;
}

export type GuardedCall<T> =
  | { readonly kind: 'executed'; readonly result: T }
  | { readonly kind: 'stopped'; readonly stopped: StoppedCall };

/** INVARIANT: `run` is reached through `guardWrite` alone. Throws what `run` or `onStopped` throws, nothing else. */
export async function guardCall<T>(settings: GuardSettings, call: ToolCall<T>): Promise<GuardedCall<T>> {
  const { tool, signal } = call;
  let intent: WriteIntent;
  try {
    intent = await call.makeIntent();
  } catch (error) {
    return stop(settings, { tool, decision: notMapped(tool), error });
  }
  const outcome = await settings.client.guardWrite(intent, call.run, signal ? { signal } : {});
  if (outcome.executed) return { kind: 'executed', result: outcome.result };
  return stop(settings, { tool, decision: outcome.decision, intent });
}

/** A tool that nobody said anything about may write: it is not run, whatever its name promises. */
export function refuseUnlisted(settings: GuardSettings, tool: string): Promise<GuardedCall<never>> {
  const message = `the tool \`${tool}\` is neither mapped to an intent nor listed as read`;
  return stop(settings, { tool, decision: localDecision({ kind: 'invalid_intent', message }) });
}

function notMapped(tool: string): LocalDecision {
  return localDecision({
    kind: 'invalid_intent',
    message: `the mapping of the tool \`${tool}\` made no intent from these arguments`,
  });
}

async function stop(
  { onStopped }: GuardSettings,
  call: Omit<StoppedCall, 'message'>,
): Promise<GuardedCall<never>> {
  const stopped = { ...call, message: stopMessage(call.decision) };
  await onStopped?.(stopped);
  return { kind: 'stopped', stopped };
}
