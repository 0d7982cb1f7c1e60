/** Puts the arguments of a tool call into its intent, so that reviewers see them and the digest covers them. */
import type { JsonObject, JsonValue, WriteIntent } from '@writecheck/client';
import { isObject, METADATA_BYTES_MAX, parseStrictJson } from '@writecheck/contract';

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
