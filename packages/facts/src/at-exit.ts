/** Ends what must end when this process exits, even after an error. A killed process ends nothing. */

const endings = new Set<() => void>();
let isWatching = false;

/** Returns a function that removes it again. */
export function atExit(end: () => void): () => void {
  if (!isWatching) process.on('exit', () => endings.forEach((each) => void each()));
  isWatching = true;
  endings.add(end);
  return () => void endings.delete(end);
}
