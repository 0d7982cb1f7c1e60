/** Reads the logs in PostgreSQL at length, over a connection of its own. */
import type { LogReading } from '../port/log-reading.ts';
import { LOG_READS } from '../tables/log-reading.ts';
import { methodsOf } from '../tables/operation.ts';
import { LastingConnection, type Query, queryOn } from './connection.ts';
import { toUnavailable } from './postgres-failure.ts';
import { readsOn } from './run-operation.ts';

export function openPostgresLog(url: string): LogReading {
  const connection = new LastingConnection(url);
  const query: Query = async (text, values) => {
    try {
      return await queryOn(await connection.get())(text, values);
    } catch (thrown) {
      connection.drop();
      throw toUnavailable(thrown);
    }
  };
  return {
    ...methodsOf(LOG_READS, readsOn(query)),
    close: () => connection.close(),
  };
}
