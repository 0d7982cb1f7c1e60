/** Pages of a list that the service gives one after the other: the cursor of the present one, and the ways on and back. */
import { useState } from 'preact/hooks';

export function useCursors() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1) ?? '',
    number: cursors.length + 1,
    previous: cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1)),
    /** Null at the end. */
    nextOf: (next: string | null | undefined) => (next == null ? null : () => setCursors([...cursors, next])),
  };
}
