/** A backup under load and what a restore of it must satisfy, the same for every store. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ALLOWED, ask } from '../ask.ts';
import { newFolder } from '../audit/audit-kit.ts';
import { ownerKeyOf, runWritecheck, type Spawned, spawnWritecheck } from '../spawn-service.ts';

const CALLERS = 8;

/** Flags that name a store, such as `--data` and a folder. */
export type StoreFlags = readonly string[];

export const serve = (store: StoreFlags): Spawned =>
  spawnWritecheck(['serve', '--port', '0', '--log-level', 'error', ...store]);

/** Retries, because the service may refuse a check with 503 on a busy machine. */
export const checkOnce = async (url: string, key: string): Promise<string> => {
  for (;;) {
    const { status, body, text } = await ask(`${url}/v1/check-write`, { key, json: ALLOWED });
    if (status === 200) return body.decision_id;
    if (status !== 503) throw new Error(text);
  }
};

export interface Backup {
  readonly ownerKey: string;
  readonly liveKey: string;
  /** Decisions returned before the backup began. */
  readonly before: readonly string[];
  /** A decision returned after it had ended. */
  readonly newest: string;
  /** Holds the public keys, and a checkpoint from before and from after the backup. */
  readonly desk: string;
}

/** Serves from a new store under load, takes the backup in the meantime, continues for a while and stops in order. */
export const backedUpUnderLoad = async (
  store: StoreFlags,
  backUp: (desk: string) => Promise<void>,
): Promise<Backup> => {
  const desk = newFolder();
  const service = serve(store);
  try {
    const url = await service.listening;
    const ownerKey = ownerKeyOf(service.stdout());
    const made = await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'load' } });
    const liveKey: string = made.body.secret;
    const answered: string[] = [];
    let isLoading = true;
    const load = Array.from({ length: CALLERS }, async () => {
      while (isLoading) answered.push(await checkOnce(url, liveKey));
    });
    const reach = async (count: number): Promise<void> => {
      while (answered.length < count) await Promise.race([sleep(5), Promise.all(load)]);
    };
    const { log } = (await ask(`${url}/v1/audit/logs`)).body.logs.at(-1);
    const checkpoint = async () => (await ask(`${url}/v1/audit/checkpoint?log=${log}`)).text;
    await reach(300);
    writeFileSync(join(desk, 'audit.key'), (await ask(`${url}/v1/audit/key`)).text);
    writeFileSync(join(desk, 'before.txt'), await checkpoint());
    const before = [...answered];
    await backUp(desk);
    const after = answered.length;
    // Otherwise no check ran during the backup, and the test proves less than it says.
    expect(after).toBeGreaterThan(before.length);
    await reach(after + 100);
    isLoading = false;
    await Promise.all(load);
    writeFileSync(join(desk, 'after.txt'), await checkpoint());
    service.child.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
    return { ownerKey, liveKey, before, newest: answered.at(-1)!, desk };
  } finally {
    service.child.kill('SIGKILL');
  }
};

/** Continues the restored store in a new log, serves from it, and checks it against the earlier responses. */
export const expectRestored = async (store: StoreFlags, backup: Backup): Promise<void> => {
  const { ownerKey, liveKey, before, newest, desk } = backup;
  const continued = await runWritecheck(['audit', 'restore', '--no-freeze', ...store]);
  expect(continued.code, continued.stderr).toBe(0);
  expect(continued.stdout).toMatch(
    /^log `log-\w+` continues log `log-\w+` from its checkpoint of \d+ entries/,
  );

  const service = serve(store);
  try {
    const url = await service.listening;
    const statusOf = async (id: string) => (await ask(`${url}/v1/decisions/${id}`, { key: ownerKey })).status;
    // A few at a time, since a busy service refuses the rest.
    for (let at = 0; at < before.length; at += 16) {
      const some = before.slice(at, at + 16);
      expect(await Promise.all(some.map(statusOf))).toEqual(some.map(() => 200));
    }
    const next = await checkOnce(url, liveKey);
    expect(await statusOf(next)).toBe(200);
    // Decisions after the backup are gone.
    expect(await statusOf(newest)).toBe(404);
    // The lost part may contain a redemption, so an earlier allow is not redeemed.
    const redeemed = async (id: string) => {
      const { body } = await ask(`${url}/v1/decisions/${id}`, { key: ownerKey });
      const json = { intentDigest: body.response.intentDigest };
      return ask(`${url}/v1/decisions/${id}/redeem`, { key: liveKey, json });
    };
    const refused = await redeemed(before.at(-1)!);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('restore')]);
    expect((await redeemed(next)).status).toBe(200);

    const asOwner = { WRITECHECK_URL: url, WRITECHECK_OWNER_KEY: ownerKey };
    const log = join(desk, 'log.ndjson');
    const exported = await runWritecheck(['audit', 'export', '--out', log], asOwner);
    expect(exported.code, exported.stderr).toBe(0);
    const verify = (known: string) =>
      runWritecheck([
        'audit',
        'verify',
        log,
        '--keys',
        join(desk, 'audit.key'),
        '--known',
        join(desk, known),
      ]);
    const verified = await verify('before.txt');
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toMatch(/^verified: \d+ entries in 2 logs, /);
    const replayed = await runWritecheck(['audit', 'replay', log]);
    expect([replayed.code, replayed.stderr]).toEqual([0, '']);
    // Anybody with a checkpoint of the lost part sees that it is gone.
    expect((await verify('after.txt')).code).toBe(1);
  } finally {
    service.child.kill('SIGKILL');
    await service.finished;
  }
};

export const remove = (...folders: readonly string[]): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
};
