/** The lock that changes of one workspace take in turn. */
import { type Read, sql } from './operation.ts';

/**
 * Anything that counts or changes the keys, policies or webhooks of a workspace waits here for its turn; false if
 * there is no such workspace.
 */
export function* lockWorkspace(id: string): Read<boolean> {
  const found = yield* sql`SELECT 1 FROM writecheck.workspace WHERE id = ${id} FOR NO KEY UPDATE`;
  return found.length > 0;
}
