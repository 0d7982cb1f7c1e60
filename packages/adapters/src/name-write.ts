/** Makes the write of a tool call: its intent with all arguments, its name, and the review that it may open. */
import type {
  Client,
  JsonObject,
  JsonValue,
  ReviewOptions,
  ReviewRequest,
  WriteIntent,
} from '@writecheck/client';
import { isObject, METADATA_BYTES_MAX, parseStrictJson } from '@writecheck/contract';

export type ReviewMode = 'off' | 'tell' | 'wait';

/** A tool call with its intent. */
export interface NamedCall {
  readonly tool: string;
  readonly intent: WriteIntent;
  /** Made from the framework's id of the call; omitted if the framework provides none. */
  readonly callId?: string | undefined;
}

export interface ReviewedCall extends NamedCall {
  /** The arguments as the model sent them. */
  readonly args?: unknown;
  /** What the framework passes to a tool with its arguments, for example the user of this run. */
  readonly context?: unknown;
}

export interface NamingSettings {
  readonly client: Client;
  /**
   * What happens on a pause that a person could resolve. `tell` (the default) opens a review and tells the
   * model that a repeated call runs once it is approved; `wait` waits for the reviewers; `off` opens none.
   */
  readonly review?: ReviewMode;
  /** How long `wait` waits; 10 minutes by default. */
  readonly reviewWaitMs?: number;
  /**
   * Who asks and why, for the reviewers. It runs before every check; if it throws, the tool does not run, because a
   * review without its requester could be approved by them.
   */
  readonly reviewRequest?: (call: ReviewedCall) => ReviewRequest | PromiseLike<ReviewRequest>;
  /**
   * Names the write, so that of all runs with the same name and intent one writes. The default is the framework's id of
   * the tool call. The name must be unique to the write among those of the API key.
   */
  readonly idempotencyKey?: (call: NamedCall) => string;
}

export interface NamedWrite extends CarriedIntent {
  readonly callId: string | undefined;
  /** Undefined if no review is to be opened. */
  readonly review: ReviewOptions | undefined;
}

export interface CallToName {
  readonly tool: string;
  /** An id of `callIdFrom`, or another unique one; if omitted, every call is new. */
  readonly callId?: string | undefined;
  /** All arguments of the call. They go into the intent; if omitted, only the intent describes the write. */
  readonly args?: unknown;
  /** What the framework passes to the tool with its arguments, for `reviewRequest`. */
  readonly context?: unknown;
  readonly makeIntent: () => WriteIntent | PromiseLike<WriteIntent>;
}

const DEFAULT_WAIT_MS = 600_000;

/** Throws what the application's functions throw. */
export async function nameWrite(
  { review = 'tell', reviewWaitMs = DEFAULT_WAIT_MS, reviewRequest, idempotencyKey }: NamingSettings,
  { tool, args, context, callId: given, makeIntent }: CallToName,
): Promise<NamedWrite> {
  const { intent, fits } = withArguments(await makeIntent(), args);
  const callId: unknown =
    idempotencyKey === undefined ? given : idempotencyKey({ tool, intent, callId: given });
  if (idempotencyKey !== undefined && (typeof callId !== 'string' || callId === ''))
    throw new TypeError('`idempotencyKey` must return a string');
  const named = { intent, fits, callId: callId as string | undefined };
  // Nobody can review a call without seeing its arguments.
  if (review === 'off' || !fits) return { ...named, review: undefined };
  const request = await reviewRequest?.({ tool, intent, args, context, callId: named.callId });
  return { ...named, review: { ...request, waitMs: review === 'wait' ? reviewWaitMs : 0 } };
}

export interface CarriedIntent {
  readonly intent: WriteIntent;
  /** False if an intent cannot hold the arguments. The intent is then unchanged, and nobody can review the call. */
  readonly fits: boolean;
}

const utf8 = new TextEncoder();

/**
 * The intent with all arguments in `metadata.context.arguments`. Doing it twice changes nothing, so a mapping that signs or
 * looks up evidence for its intent can do it first.
 */
export function withArguments(intent: WriteIntent, args: unknown): CarriedIntent {
  // A mapping in plain JavaScript may return anything; the service refuses an invalid intent.
  const { metadata = {} } = isObject(intent) ? intent : {};
  const context = isObject(metadata) ? (metadata.context ?? {}) : undefined;
  if (args === undefined || !isObject(intent) || !isObject(context)) return { intent, fits: true };
  try {
    const carried = { ...metadata, context: { ...context, arguments: asJson(args) } };
    return isSendable(carried)
      ? { intent: { ...intent, metadata: carried }, fits: true }
      : { intent, fits: false };
  } catch {
    return { intent, fits: false };
  }
}

function asJson(args: unknown): JsonValue {
  return JSON.parse(JSON.stringify(args)) as JsonValue;
}

/** Whether the service would accept it: its size, and JSON that every reader reads the same way. */
function isSendable(metadata: JsonObject): boolean {
  const text = JSON.stringify(metadata);
  return (
    utf8.encode(text).length <= METADATA_BYTES_MAX &&
    parseStrictJson(utf8.encode(`{"metadata":${text}}`)).kind === 'json'
  );
}
