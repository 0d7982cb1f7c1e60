/** The messages of a store's failures that both databases share. */
import { StoreUnavailable } from './port/failure.ts';

export type Why = StoreUnavailable['why'];

/**
 * A message says what happened, and what to do. INVARIANT: never SQL, a path, a secret or a stack, because it may
 * reach a response.
 */
export type Words = { readonly [why in Why]: string };

export const COMMON_WORDS = {
  version: 'another version of the program has changed the database; restart the service with that version',
  behind:
    'the search index is being filled, so lists and counts would lack entries; try again later (checks are not affected)',
  closed: 'the store is closed; the service is stopping',
} as const satisfies Partial<Words>;

export type Unavailable = (why: Why, cause?: unknown, message?: string) => StoreUnavailable;

export function unavailableIn(words: Words): Unavailable {
  return (why, cause, message = words[why]) => new StoreUnavailable(why, message, cause);
}

export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}
