/** The one format of time in the log: UTC with milliseconds, as `Date.prototype.toISOString` writes it. */

/** Null unless the text is exactly how the instant would be written, so 30 February is invalid. */
export function parseLogInstant(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && new Date(ms).toISOString() === text ? ms : null;
}
