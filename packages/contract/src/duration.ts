/** Durations in policy documents: a number with s, m, h or d. */
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Eight digits keep every duration an exact number of milliseconds, even when added to a time. */
export const DURATION_PATTERN = /^[0-9]{1,8}(?:\.[0-9]{1,3})?[smhd]$/u;

/** Milliseconds; the text must match DURATION_PATTERN. */
export function durationMs(text: string): number {
  const unitMs = UNIT_MS[text.at(-1) as keyof typeof UNIT_MS];
  const [whole = '0', fraction = ''] = text.slice(0, -1).split('.');
  return Number(whole) * unitMs + (Number(fraction.padEnd(3, '0')) * unitMs) / 1_000;
}
