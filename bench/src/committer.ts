/**
 * The CPU time that the committing thread spends on each check, with several senders that each have one group
 * in progress.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import type { CommitRequest } from '@writecheck/store/port';
import { finishGroup, packRequests } from '@writecheck/store/sqlite/commit-wire';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { unavailable } from '@writecheck/store/sqlite/store-failure';
import { PortCall } from '@writecheck/store/threads/thread-calls';
import { newFolder } from './service-processes.ts';

/** CPU time of the threads of a process whose name begins like this; Linux counts it in nanoseconds. */
export function threadUs(pid: number | 'self', name: string): number {
  let us = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const at = `/proc/${pid}/task/${task}`;
    if (!readFileSync(`${at}/comm`, 'utf8').startsWith(name)) continue;
    us += Number(readFileSync(`${at}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  }
  return us;
}

function requestOf(body: string, workspace: string): CommitRequest {
  const id = randomUUID();
  const atMs = Date.now();
  return {
    workspace,
    keyId: 'key_bench',
    keyKind: 'live',
    quota: null,
    freezeNumber: 0,
    idempotency: null,
    bundle: { digest: null, hasLimits: false },
    proven: false,
    entries: [
      {
        atMs,
        // About the size of a record besides the intent.
        record: {
          before: `{"decision_id":"dec_${id}","evaluations":"${'x'.repeat(900)}","intent":`,
          intent: Buffer.from(body),
          after: '}',
        },
        leaf: {
          decision_id: `dec_${id}`,
          audit_id: `aud_${id}`,
          keyId: 'key_1',
          timestamp: new Date(atMs).toISOString(),
          decision: 'allow',
          evaluatedDecision: 'allow',
          reason_code: 'requirements_met',
          intentDigest: `sha256:${'0'.repeat(64)}`,
          policyRef: null,
          validUntil: null,
        },
        consumes: [],
        restsOn: [],
      },
    ],
  };
}

/**
 * In microseconds. Each sender sends the same finished group again as soon as it is answered, so that the committing
 * thread never waits, as under full load on many cores.
 */
export async function committerUs(
  body: string,
  senders: number,
  group: number,
  rounds: number,
): Promise<number> {
  const folder = newFolder();
  const store = await openSqliteStore(folder);
  const { attach } = store.sharing!;
  const workspace = { id: 'ws_bench', name: 'bench', createdAtMs: 0, liveGranted: true };
  await store.createWorkspace(workspace, []);
  const requests = Array.from({ length: group }, () => requestOf(body, workspace.id));
  const all = Array.from({ length: senders }, () => {
    const calls = new PortCall(() => {
      const { port1, port2 } = new MessageChannel();
      attach('writer', port2);
      return port1;
    }, unavailable);
    return { calls, packed: finishGroup(packRequests(requests, store.log, null, [])) };
  });
  const commit = (times: number) =>
    Promise.all(
      all.map(async (sender) => {
        for (let i = 0; i < times; i += 1) {
          const { moved } = await sender.calls.move('commit', sender.packed, sender.packed.buffer);
          sender.packed = { ...sender.packed, buffer: moved! };
        }
      }),
    );
  await commit(Math.ceil(rounds / 2));
  const before = threadUs('self', 'writer');
  await commit(rounds);
  const us = (threadUs('self', 'writer') - before) / (rounds * senders * group);
  await Promise.all(all.map(({ calls }) => calls.close()));
  await store.close();
  rmSync(folder, { recursive: true });
  return us;
}
