/** Measures what a piece of work costs this thread, so that a busy machine does not fail a test. */

/** Median over the rounds, in milliseconds of processor time. */
export function medianCostMs(work: () => void, rounds: number): number {
  const times = Array.from({ length: rounds }, () => {
    const started = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / 1_000;
  }).sort((a, b) => a - b);
  return times[Math.floor(rounds / 2)]!;
}
