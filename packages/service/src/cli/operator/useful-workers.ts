/** How many deciding threads a service has. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/settings.ts';
import { SHARES_PORT } from './shared-port.ts';

/** Below this many cores, one thread that decides and one that writes use all of them. */
const CORES_MIN = 4;
/** More than these do not make the one that writes any faster. */
const WORKERS_MAX = 8;

/** The setting, or what the machine has use for: half of its cores decide, the others write, index and sign. */
export function usefulWorkers(
  { workers, databaseUrl }: Pick<Config, 'workers' | 'databaseUrl'>,
  cores = availableParallelism(),
  sharesPort = SHARES_PORT,
): number {
  if (!sharesPort) return 1;
  if (workers !== null) return workers;
  if (databaseUrl !== null || cores < CORES_MIN) return 1;
  return Math.min(Math.floor(cores / 2), WORKERS_MAX);
}
