/** The allows from before a freeze that it would have stopped and that were still valid when it began. */
import { intentFromValue } from '@writecheck/contract';
import { compileFreeze, VALIDITY_MS_MAX } from '@writecheck/engine';
import { readRecord } from '@writecheck/ledger';
import type { Decisions, Redemptions, WorkspacesAndKeys } from '@writecheck/store/port';
import type { StoredFreeze } from '@writecheck/store/port/freezes';
import { lineageIn } from '../reviews/key-lineage.ts';

const WAITED_MS_MAX = 10_000;
const PAGE = 200;

type AllowsStore = Pick<Decisions, 'listDecisions' | 'findDecision'> &
  Pick<Redemptions, 'redemptionTimes'> &
  Pick<WorkspacesAndKeys, 'listKeys'>;

export async function allowsBefore(
  store: AllowsStore,
  freeze: StoredFreeze,
): Promise<{ readonly count: number; readonly redeemed: number }> {
  const { workspace, createdAtMs, number } = freeze;
  const matches = compileFreeze(freeze.scope);
  const keys = new Map((await store.listKeys(workspace)).map((key) => [key.id, key]));
  const fromMs = createdAtMs - VALIDITY_MS_MAX;
  let count = 0;
  let redeemed = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listDecisions({
      workspace,
      decision: 'allow',
      fromMs,
      // A freeze may have waited for a commit whose time is later; the numbers tell which came first.
      toMs: createdAtMs + WAITED_MS_MAX,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (page.kind === 'bad_cursor') break;
    const open: string[] = [];
    for (const { decisionId, keyId } of page.decisions) {
      const found = await store.findDecision(workspace, decisionId);
      if (found === null) continue;
      const record = readRecord(found.record);
      if ((record.freezeNumber ?? 0) >= number || !((record.decision.validUntil ?? 0) > createdAtMs))
        continue;
      const parsed = intentFromValue(JSON.parse(record.intentText));
      const keyIds = lineageIn(keyId, keys).map(({ id }) => id);
      // An intent that this version refuses could be any.
      if (parsed.kind !== 'intent' || matches(parsed.intent, [keyId, ...keyIds])) open.push(decisionId);
    }
    count += open.length;
    if (open.length > 0) redeemed += (await store.redemptionTimes(workspace, open)).length;
    cursor = page.nextCursor;
  }
  return { count, redeemed };
}
