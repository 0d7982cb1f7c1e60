/** Says in the log when the disk of the data folder is nearly full, once, and when it has room again. */
import type { Log } from '@writecheck/service/support/observability/log';
import type { Store } from '@writecheck/store/port';

/** The alert `WritecheckDiskFull` fires below the same. */
const LOW_BYTES = 500e6;
/** A disk around the limit must not fill the log. */
const ENOUGH_BYTES = 2 * LOW_BYTES;
const LOOK_EVERY_MS = 30_000;

/** Of PostgreSQL the service does not know the disk, so it says nothing. */
export function watchDisk(store: Pick<Store, 'figures'>, log: Pick<Log, 'warn' | 'info'>): void {
  const look = diskLook(log);
  let isLooking = false;
  const once = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      look((await store.figures()).diskFreeBytes);
    } catch {
      // A store that cannot be read says so elsewhere.
    }
    isLooking = false;
  };
  void once();
  setInterval(() => void once(), LOOK_EVERY_MS).unref();
}

/** Takes the free bytes of each look. */
export function diskLook(log: Pick<Log, 'warn' | 'info'>): (freeBytes: number | null) => void {
  let isLow = false;
  return (freeBytes) => {
    if (freeBytes === null) return;
    if (!isLow && freeBytes < LOW_BYTES) {
      isLow = true;
      log.warn(
        { freeBytes },
        'the disk of the data folder is nearly full; at 0 bytes nothing can be recorded, and every check gets 503: free space or enlarge it',
      );
    } else if (isLow && freeBytes >= ENOUGH_BYTES) {
      isLow = false;
      log.info({ freeBytes }, 'the disk of the data folder has room again');
    }
  };
}
