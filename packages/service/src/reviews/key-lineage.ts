/** The keys that a key was rotated from: it counts as the asker of whatever they asked for. */
import type { StoredKey, WorkspacesAndKeys } from '../store/port.ts';

export async function lineageOf(
  store: Pick<WorkspacesAndKeys, 'listKeys'>,
  key: StoredKey,
): Promise<ReadonlySet<string>> {
  const ids = new Set([key.id]);
  if (key.rotatedFrom === null) return ids;
  const keys = new Map((await store.listKeys(key.workspace)).map((each) => [each.id, each]));
  for (let from: string | null = key.rotatedFrom; from !== null && !ids.has(from); ) {
    ids.add(from);
    from = keys.get(from)?.rotatedFrom ?? null;
  }
  return ids;
}
