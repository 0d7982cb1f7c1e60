/** The keys that a key was rotated from: it counts as the asker of whatever they asked for. */
import type { Store, StoredKey } from '@writecheck/store/port';

export type Keys = ReadonlyMap<string, StoredKey>;

/** The key itself comes first. */
export function lineageIn(keyId: string, keys: Keys): readonly StoredKey[] {
  const seen = new Set<StoredKey>();
  for (
    let key = keys.get(keyId);
    key !== undefined && !seen.has(key);
    key = key.rotatedFrom === null ? undefined : keys.get(key.rotatedFrom)
  ) {
    seen.add(key);
  }
  return [...seen];
}

export async function lineageOf(
  store: Pick<Store, 'listKeys'>,
  key: StoredKey,
): Promise<readonly StoredKey[]> {
  if (key.rotatedFrom === null) return [key];
  const keys = new Map((await store.listKeys(key.workspace)).map((each) => [each.id, each]));
  return lineageIn(key.id, keys.set(key.id, key));
}

/** The people who hold or made one of these keys. */
export function ownersOf(keys: readonly StoredKey[]): readonly string[] {
  return keys.flatMap(({ heldBy, madeBy }) => [heldBy, madeBy]).filter((id) => id !== null);
}

/** A freeze of a key also stops those that it was rotated into. */
export async function keysBehind(store: Pick<Store, 'listKeys'>, key: StoredKey): Promise<readonly string[]> {
  return (await lineageOf(store, key)).map(({ id }) => id);
}

/** Those of several keys, such as the one that was allowed a write and the one that takes it. */
export async function keysBehindAll(
  store: Pick<Store, 'listKeys'>,
  workspace: string,
  keyIds: readonly string[],
): Promise<readonly string[]> {
  const keys = new Map((await store.listKeys(workspace)).map((key) => [key.id, key]));
  return keyIds.flatMap((id) => [id, ...lineageIn(id, keys).map((key) => key.id)]);
}
