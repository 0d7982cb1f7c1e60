/** What must end with this process, however it ends. */

const endings = new Set<() => void>();
let isWatching = false;

/** Returns a function that takes it back. */
export function atExit(end: () => void): () => void {
  if (!isWatching) process.on('exit', () => endings.forEach((each) => void each()));
  isWatching = true;
  endings.add(end);
  return () => void endings.delete(end);
}
