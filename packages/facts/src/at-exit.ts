/** What must end when this process exits, also after an error. A process that is killed ends nothing. */

const endings = new Set<() => void>();
let isWatching = false;

/** Returns a function that takes it back. */
export function atExit(end: () => void): () => void {
  if (!isWatching) process.on('exit', () => endings.forEach((each) => void each()));
  isWatching = true;
  endings.add(end);
  return () => void endings.delete(end);
}
