/** The one form of time in the log: UTC with milliseconds, as `Date.prototype.toISOString` writes it. */

/** Null unless the text is the very text the instant would be written as, so 30 February is none. */
export function parseLogInstant(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && new Date(ms).toISOString() === text ? ms : null;
}
