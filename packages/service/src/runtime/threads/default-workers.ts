/** Chooses how many threads decide by default. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../support/config/settings.ts';
import { SHARES_PORT } from './shared-port.ts';

/**
 * More threads do not help: the thread that commits for all is the limit (`docs/decisions.md`).
 */
const WORKERS_MAX = 8;

/**
 * Half of the cores: the rest are for committing, collecting garbage, the index and the system. One on
 * PostgreSQL, where each thread has connections and a log of its own, and where replicas do the same.
 */
export function defaultWorkers(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  cores = availableParallelism(),
  sharesPort = SHARES_PORT,
): number {
  if (databaseUrl !== null || !sharesPort) return 1;
  return Math.min(WORKERS_MAX, Math.max(1, Math.floor(cores / 2)));
}
