/** Whether something happened between two days that somebody chose. */

/** Whole days of the reader; an end that is left out is open. */
export function isWithin(at: string, { from, to }: { readonly from: string; readonly to: string }): boolean {
  const atMs = Date.parse(at);
  const startOf = (day: string) => new Date(`${day}T00:00`).getTime();
  const end = new Date(startOf(to));
  end.setDate(end.getDate() + 1);
  return (from === '' || atMs >= startOf(from)) && (to === '' || atMs < end.getTime());
}
