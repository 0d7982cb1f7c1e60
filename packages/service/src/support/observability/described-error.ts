/** Describes an error for a log line. */
import type { StoreUnavailable } from '@writecheck/store/port';

/** Includes the stack and every cause. */
export function describedError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describedError(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}

/** The messages of its causes, outermost first; undefined if it has none. */
export function causeOf(error: unknown): string | undefined {
  const messages: string[] = [];
  for (
    let cause = error instanceof Error ? error.cause : undefined;
    cause !== undefined && cause !== null;
  ) {
    messages.push(cause instanceof Error ? cause.message : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.length === 0 ? undefined : messages.join(': ');
}

/** The stack of an internal error in the store; undefined for an outage, whose cause says enough. */
export function stackOf({ why, cause }: StoreUnavailable): string | undefined {
  return why === 'unknown' && cause instanceof Error ? cause.stack : undefined;
}

/** Describes an error of regular work: `StoreUnavailable` says only that something failed, its cause says what. */
export function errorFields(error: unknown): { readonly error: string; readonly cause: string | undefined } {
  return { error: String(error), cause: causeOf(error) };
}
