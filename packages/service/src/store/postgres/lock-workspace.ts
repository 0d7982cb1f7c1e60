/** The lock of a workspace, for what is not an operation yet. */
import { lockWorkspace as lock } from '../tables/keys.ts';
import type { Query } from './connection.ts';
import { runRead } from './run-operation.ts';

export function lockWorkspace(query: Query, id: string): Promise<boolean> {
  return runRead(query, lock(id));
}
