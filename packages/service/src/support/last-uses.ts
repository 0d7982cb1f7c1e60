/** Writes the last uses of keys or sessions that the store does not have yet. */

/** By their id in the store. INVARIANT: the longest waiting comes first, so that each gets its turn. */
export type LastUses = Map<string, number>;

export type Uses = readonly (readonly [id: string, atMs: number])[];

/**
 * Writes at most this many. Failed ones are retried with the next call.
 * INVARIANT: a clock that is ahead never extends a session beyond its idle time on other replicas, so no time later than
 * `trustedMs` is written, see `SteadyClock.notBefore`.
 */
export async function writeUses(
  uses: LastUses,
  write: (uses: Uses) => Promise<void>,
  trustedMs: number,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const some = [...uses].slice(0, most);
  if (some.length === 0) return;
  await write(some.map(([id, atMs]) => [id, Math.min(atMs, trustedMs)]));
  for (const [id, atMs] of some) {
    const newestMs = uses.get(id);
    uses.delete(id);
    if (newestMs !== undefined && newestMs !== atMs) uses.set(id, newestMs);
  }
}
