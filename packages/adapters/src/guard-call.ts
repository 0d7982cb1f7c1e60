/** What every adapter does with a tool call: make its intent, ask, then run the tool or say why it was not run. */
import {
  type AllowDecision,
  type Client,
  intentDigest,
  type LocalDecision,
  localDecision,
  type StopDecision,
  type WriteIntent,
} from '@writecheck/client';
import { shown } from '@writecheck/contract';
import { type Turn, takeTurn } from './call-id.ts';
import { isInvalidArguments } from './invalid-arguments.ts';
import { correctionMessage, stopMessage } from './stop-message.ts';

export interface StoppedCall {
  readonly tool: string;
  readonly decision: StopDecision | LocalDecision;
  /** What the model is told. */
  readonly message: string;
  /** Left out where the mapping failed to make one. */
  readonly intent?: WriteIntent;
  /** What the mapping threw. It is for the application; the model sees it only if it is an `InvalidArguments`. */
  readonly error?: unknown;
}

/** A tool call whose intent is made. */
export interface NamedCall {
  readonly tool: string;
  readonly intent: WriteIntent;
  /** Made from the framework's id of the call; left out if the framework gives none. */
  readonly callId?: string;
}

/** A caller's part: how to ask, and where a stopped call goes. */
export interface GuardSettings {
  readonly client: Client;
  /** The place to send a pause to a person. It is awaited; what it throws reaches the framework. */
  readonly onStopped?: (stopped: StoppedCall) => void | PromiseLike<void>;
  /**
   * Names the write, so that a repeat of it with the same intent gets the same allow back while that is valid. Without it
   * the framework's id of the tool call does that. The name must be unique to the write within the workspace.
   */
  readonly idempotencyKey?: (call: NamedCall) => string;
  /** Asks for a receipt, for the side that executes the write. */
  readonly receipt?: boolean;
}

export interface ToolCall<T> {
  readonly tool: string;
  /** From `callIdFrom` or unique in another way; without it every call is a new one. */
  readonly callId?: string | undefined;
  readonly makeIntent: () => WriteIntent | PromiseLike<WriteIntent>;
  readonly run: (decision: AllowDecision) => T | PromiseLike<T>;
  /** For a tool that reports its failure instead of throwing it. */
  readonly hasFailed?: (result: T) => boolean;
  /** The framework's own: when it gives up on the call, a late allow must not run the tool. */
  readonly signal?: AbortSignal | undefined;
}

export type GuardedCall<T> =
  | { readonly kind: 'executed'; readonly result: T }
  | { readonly kind: 'stopped'; readonly stopped: StoppedCall };

/** INVARIANT: `run` is reached through `guardWrite` alone. Throws what `run` or `onStopped` throws, nothing else. */
export async function guardCall<T>(settings: GuardSettings, call: ToolCall<T>): Promise<GuardedCall<T>> {
  const { tool } = call;
  let intent: WriteIntent;
  let turn: Turn;
  try {
    intent = await call.makeIntent();
    const write = await intentDigest(intent).catch(() => 'no digest');
    turn = takeTurn(nameOf(settings, call, intent), write);
  } catch (error) {
    return stop(settings, { tool, decision: notMapped(tool, error), error });
  }
  const outcome = await ask(settings, call, intent, turn);
  if (outcome.executed) return { kind: 'executed', result: outcome.result };
  return stop(settings, { tool, decision: outcome.decision, intent });
}

async function ask<T>(
  { client, receipt }: GuardSettings,
  { run, hasFailed, signal }: ToolCall<T>,
  intent: WriteIntent,
  turn: Turn,
) {
  let isFree = true;
  try {
    const outcome = await client.guardWrite(
      intent,
      // Without `unprotected` nothing but an allow gets here.
      (decision) => run(decision as AllowDecision),
      {
        ...(signal === undefined ? {} : { signal }),
        ...(turn.callId === undefined ? {} : { callId: turn.callId }),
        ...(receipt === undefined ? {} : { receipt }),
      },
    );
    isFree = !outcome.executed || hasFailed?.(outcome.result) === true;
    return outcome;
  } finally {
    // A write that the framework gave up on may still be under way.
    turn.end(isFree && !signal?.aborted);
  }
}

function nameOf<T>(
  { idempotencyKey }: GuardSettings,
  { tool, callId }: ToolCall<T>,
  intent: WriteIntent,
): string | undefined {
  if (idempotencyKey === undefined) return callId;
  const name: unknown = idempotencyKey({ tool, intent, ...(callId === undefined ? {} : { callId }) });
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError('`idempotencyKey` must give text');
}

/** A tool that nobody said anything about may write: it is not run, whatever its name promises. */
export function refuseUnlisted(settings: GuardSettings, tool: string): Promise<GuardedCall<never>> {
  const message = `the tool \`${shown(tool)}\` is neither mapped to an intent nor listed as read`;
  return stop(settings, { tool, decision: localDecision({ kind: 'invalid_intent', message }) });
}

function notMapped(tool: string, error: unknown): LocalDecision {
  const message = isInvalidArguments(error)
    ? error.message
    : `the mapping of the tool \`${shown(tool)}\` made no intent from these arguments`;
  return localDecision({ kind: 'invalid_intent', message });
}

async function stop(
  { onStopped }: GuardSettings,
  call: Omit<StoppedCall, 'message'>,
): Promise<GuardedCall<never>> {
  const { error, decision } = call;
  const message = isInvalidArguments(error) ? correctionMessage(call.tool, error) : stopMessage(decision);
  const stopped = { ...call, message };
  await onStopped?.(stopped);
  return { kind: 'stopped', stopped };
}
