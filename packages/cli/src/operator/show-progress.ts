/** Reports the progress of a long command on stderr, every few seconds; a short one reports nothing. */
import type { Progress } from '@writecheck/store/port';

const EVERY_MS = 2_000;

export function showProgress(what: string): Progress {
  let shownAtMs: number | null = null;
  return (done, total) => {
    const nowMs = performance.now();
    shownAtMs ??= nowMs;
    if (nowMs - shownAtMs < EVERY_MS) return;
    shownAtMs = nowMs;
    const share = total === 0 ? 100 : Math.floor((done / total) * 100);
    process.stderr.write(
      `${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}, ${share} %\n`,
    );
  };
}
