/** The lock that serializes changes of one workspace. */
import { type Read, sql } from './operation.ts';

/**
 * Every operation that counts or changes the keys, policies or webhooks of a workspace waits here for its turn;
 * false if there is no such workspace.
 */
export function* lockWorkspace(id: string): Read<boolean> {
  return (yield* sql`SELECT 1 FROM writecheck.workspace WHERE id = ${id} FOR NO KEY UPDATE`).length > 0;
}
