/** Draws a long list in several tasks, so that none blocks the page. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** How many of these entries are drawn: `first` at first and after all of them changed, then `step` more per frame. */
export function useGrowing(ids: readonly string[], step: number, first = step): number {
  const state = useRef({ known: new Set<string>(), drawn: first });
  const [, setRound] = useState(0);
  const { known } = state.current;
  if (!ids.some((id) => known.has(id))) state.current.drawn = first;
  state.current.known = new Set(ids);
  const { drawn } = state.current;
  useEffect(() => {
    if (drawn >= ids.length) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // After the frame, because two steps in one frame are laid out in one task.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        state.current.drawn = drawn + step;
        setRound((round) => round + 1);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [drawn, ids.length, step]);
  return drawn;
}
