/** Durations in policy documents: a number with s, m, h or d. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIT_MS = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** Eight digits keep every duration an exact number of milliseconds, even when added to a time. */
export const DURATION_PATTERN = /^[0-9]{1,8}(?:\.[0-9]{1,3})?[smhd]$/u;

/** Milliseconds; the text must match DURATION_PATTERN. */
export function durationMs(text: string): number {
  const unitMs = UNIT_MS[text.at(-1) as keyof typeof UNIT_MS];
  const [whole = '0', fraction = ''] = text.slice(0, -1).split('.');
  return Number(whole) * unitMs + (Number(fraction.padEnd(3, '0')) * unitMs) / 1_000;
}
