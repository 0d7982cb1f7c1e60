/** The allows from before a freeze that it would have stopped and that were still valid when it began. */
import { ALLOW_MS_MAX, type WriteIntent } from '@writecheck/contract';
import { compileFreeze } from '@writecheck/engine/deciding';
import type { Decisions, OpenAllows, Store } from '@writecheck/store/port';
import type { StoredFreeze } from '@writecheck/store/port/freezes';
import { lineageIn } from '../keys/key-lineage.ts';

type AllowsStore = Pick<Decisions, 'openAllows'> & Pick<Store, 'listKeys'>;

export async function allowsBefore(
  store: AllowsStore,
  { workspace, createdAtMs, scope }: StoredFreeze,
): Promise<{ readonly count: number; readonly redeemed: number }> {
  const matches = compileFreeze(scope);
  const keys = new Map((await store.listKeys(workspace)).map((key) => [key.id, key]));
  // A freeze is dated after every entry that came before it.
  const open = await store.openAllows(workspace, createdAtMs - ALLOW_MS_MAX, createdAtMs);
  let count = 0;
  let redeemed = 0;
  for (const allows of open) {
    const keyIds = lineageIn(allows.keyId, keys).map(({ id }) => id);
    if (!matches(targetOf(allows), [allows.keyId, ...keyIds])) continue;
    count += allows.count;
    redeemed += allows.redeemed;
  }
  return { count, redeemed };
}

function targetOf({ system, objectType, field, operation, workflowId }: OpenAllows): WriteIntent {
  return {
    system,
    ...(objectType === null ? {} : { objectType }),
    ...(field === null ? {} : { field }),
    ...(operation === null ? {} : { operation }),
    ...(workflowId === null ? {} : { workflowId }),
  };
}
