/** Polls the trail of changes a few times a second; after a failed poll, nothing cached is trusted. */
import { ChangeListeners } from '../change-listeners.ts';
import type { Change } from '../port.ts';

const WATCH_EVERY_MS = 200;

export function watchChanges(readChanges: () => readonly Change[]) {
  const listeners = new ChangeListeners();
  let lost = false;
  const look = (): readonly Change[] => {
    try {
      const changes = readChanges();
      const found = lost;
      lost = false;
      return found ? [{ kind: 'everything' }] : changes;
    } catch {
      lost = true;
      return [{ kind: 'everything' }];
    }
  };
  const timer = setInterval(() => {
    const atMs = performance.now();
    listeners.tell(look(), atMs);
  }, WATCH_EVERY_MS);
  timer.unref();
  return { watch: listeners.watch, stop: () => clearInterval(timer) };
}
