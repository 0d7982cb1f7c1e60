/** Fills the log of a store with copies of a real record, many times faster than checks would. */
import { hash } from 'node:crypto';
import { recordBytes } from '@writecheck/ledger';
import { newId } from '@writecheck/service/support/ids/new-id';
import { type CommitRequest, type Store, StoreUnavailable } from '@writecheck/store/port';

const GROUP = 256;
const OBJECTS = 50_000;

/** Fills the log of the only workspace of a store, and waits until the index has caught up: that is no part of a check. */
export async function fillStore(store: Store, records: number): Promise<void> {
  const template = await templateOf(store);
  await fillLog(store, template, records);
  for (;;) {
    try {
      return void (await store.listDecisions({ workspace: template.workspace, limit: 1 }));
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable) || thrown.why !== 'behind') throw thrown;
    }
  }
}

/** Copies of one real record with new IDs. */
async function fillLog(store: Store, template: CommitRequest, records: number): Promise<void> {
  const { decision_id, audit_id, intentDigest } = template.leaf;
  for (let done = 0; done < records; done += GROUP) {
    const atMs = Date.now();
    const requests = Array.from({ length: Math.min(GROUP, records - done) }, (_, i): CommitRequest => {
      const ids = { decision_id: newId('dec_', atMs), audit_id: newId('aud_', atMs) };
      const object = `V-${(done + i) % OBJECTS}`;
      const digest = `sha256:${hash('sha256', object)}`;
      const text = Buffer.from(recordBytes(template.record))
        .toString()
        .replace(decision_id, ids.decision_id)
        .replace(audit_id, ids.audit_id)
        .replace(intentDigest, digest)
        .replace('V-100423', object);
      const record: CommitRequest['record'] = {
        before: '',
        intent: Buffer.from(text.slice(0, -1)),
        after: '}',
      };
      const leaf = {
        ...template.leaf,
        ...ids,
        intentDigest: digest,
        timestamp: new Date(atMs).toISOString(),
      };
      return { ...template, atMs, record, leaf };
    });
    await store.commit(requests, []);
  }
}

/** The first decision of a store; entries of changes come before it. */
export async function firstDecision(store: Store) {
  const [head] = await store.logs();
  for (let from = 0; from < head!.size; ) {
    const [segment] = await store.segments(head!.log, from, 1);
    const found = segment!.entries.find(({ record }) => record.length > 0);
    if (found !== undefined) return { head: head!, record: found.record, leaf: found.leaf };
    from += segment!.entries.length;
  }
  throw new Error('no decision was made');
}

async function templateOf(store: Store): Promise<CommitRequest> {
  const { record, leaf } = await firstDecision(store);
  const { workspace, keyKind, log: _, recordDigest, ...fields } = JSON.parse(Buffer.from(leaf).toString());
  return {
    workspace,
    keyId: fields.keyId,
    keyKind: 'live',
    quota: null,
    freezeNumber: 0,
    bundle: { digest: null, hasLimits: false },
    atMs: 0,
    record: { before: '', intent: record.subarray(0, -1), after: '}' },
    leaf: fields,
    consumes: [],
    restsOn: [],
    idempotency: null,
  };
}
