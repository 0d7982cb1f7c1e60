/**
 * A disk on which no file can grow, with one deciding thread and with three.
 * @module-tag nightly
 */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import { expect, test } from 'vitest';
import { ALLOWED, ask } from '../ask.ts';
import { ownerKeyOf, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';

const LANES = 24;
/** Room for some more commits: the disk fills in the middle of the load. */
const ROOM_BYTES = 200_000;

test.each(['1', '3'])(
  'with %s deciding threads: 503 on each, kill -9 loses nothing acknowledged, and free space lets it decide again',
  async (workers) => {
    const folder = temporaryFolder();
    const flags = ['serve', '--port', '0', '--data', folder, '--log-level', 'fatal', '--workers', workers];
    const first = spawnWritecheck(flags);
    const url = await first.listening;
    const owner = ownerKeyOf(first.stdout());
    const json = { kind: 'live', name: 'a key' };
    const live = (await ask(`${url}/v1/keys`, { key: owner, json })).body.secret;
    const limitFiles = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', [`--pid=${first.child.pid}`, `--fsize=${bytes}:`]);
    const acknowledged: string[] = [];
    const others = new Set<string>();
    const check = async (): Promise<number> => {
      const reply = await ask(`${url}/v1/check-write`, { key: live, json: ALLOWED });
      if (reply.status === 200) acknowledged.push(reply.body.decision_id);
      else others.add(`${reply.status} ${reply.body.error.code}`);
      return reply.status;
    };
    expect(await check()).toBe(200);
    limitFiles(statSync(`${databasePath(folder)}-wal`).size + ROOM_BYTES);
    const untilRefused = async () => {
      for (let refused = 0; refused < 5; ) if ((await check()) !== 200) refused += 1;
    };
    await Promise.all(Array.from({ length: LANES }, untilRefused));
    expect([...others]).toEqual(['503 store_unavailable']);
    expect(acknowledged.length).toBeGreaterThan(10);
    limitFiles('unlimited');
    await expect.poll(check).toBe(200);
    first.child.kill('SIGKILL');
    await first.finished;
    const second = spawnWritecheck(flags);
    const again = await second.listening;
    for (const id of acknowledged)
      expect((await ask(`${again}/v1/decisions/${id}`, { key: owner })).status, id).toBe(200);
    second.child.kill('SIGTERM');
    await second.finished;
  },
  90_000,
);
