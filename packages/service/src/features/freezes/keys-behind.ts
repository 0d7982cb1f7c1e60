/** The keys by which a freeze may name whoever asks. */
import type { Store, StoredKey } from '@writecheck/store/port';
import { lineageOf } from '../reviews/key-lineage.ts';

/** A freeze of a key stops those that it was rotated into as well. */
export async function keysBehind(store: Pick<Store, 'listKeys'>, key: StoredKey): Promise<readonly string[]> {
  return (await lineageOf(store, key)).map(({ id }) => id);
}
