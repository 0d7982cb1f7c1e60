/** A service starts only on the signed log, whatever its size; each refusal names the entry. */
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { continuationBytes, Frontier, leafBytes, leafHash, parseLeaf } from '@writecheck/ledger';
import { ForkAlarm } from '@writecheck/store/append-guard';
import { decodeSegment, encodeSegment, type SegmentEntry } from '@writecheck/store/log/segment';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { continueCommand, restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { loadSigner } from '../../src/features/audit/log-signer.ts';
import { openAudit } from '../../src/features/audit/open-audit.ts';
import { loadConfig } from '../../src/support/config/load-config.ts';
import { ALLOWED, ask, check, checkAll, receiptOf } from '../ask.ts';
import { runWritecheck } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';
import { auditedService, copyOf, newFolder } from './audit-kit.ts';

/** The folder of a stopped service: 5 rounds, so entries 0 to 19, all of them signed. */
let original: string;
let keysBefore: string;
let liveKey: string;
beforeAll(async () => {
  original = newFolder();
  const { service, keys } = await auditedService(5, { folder: original });
  keysBefore = keys;
  liveKey = service.liveKey;
  await service.stop();
});
afterAll(() => rmSync(original, { recursive: true }));

type Db = InstanceType<typeof Database>;

/** The steps that a service takes before it listens. */
const startOn = async (folder: string): Promise<string> => {
  const store = await openSqliteStore(folder);
  try {
    const config = { data: folder, signingKey: null, databaseUrl: null };
    await (await openAudit(config, store, Date.now(), { alarm: new ForkAlarm() })).sign();
    return 'started';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await store.close();
  }
};

/** Starts on a copy of the folder that somebody has tampered with. */
const startAfter = async (tamper: (db: Db, folder: string) => void): Promise<string> => {
  const folder = copyOf(original);
  const db = new Database(join(folder, 'writecheck.db'));
  tamper(db, folder);
  db.close();
  const outcome = await startOn(folder);
  rmSync(folder, { recursive: true });
  return outcome;
};

interface Row {
  readonly position: number;
  readonly count: number;
  readonly body: Buffer;
  readonly leaf_hashes: Buffer;
}
const rowAt = (db: Db, at: number) => db.prepare('SELECT * FROM segment WHERE position = ?').get(at) as Row;
const setBody = (db: Db, at: number, body: Buffer) =>
  db.prepare('UPDATE segment SET body = ? WHERE position = ?').run(body, at);
const setHashes = (db: Db, at: number, hashes: Uint8Array) =>
  db.prepare('UPDATE segment SET leaf_hashes = ? WHERE position = ?').run(hashes, at);

/** The entry says block instead of allow or pause, and its hash matches again. */
const forgeEntry = (db: Db, at: number): void => {
  const [entry] = decodeSegment(rowAt(db, at));
  const leaf = parseLeaf(entry!.leaf);
  const forged =
    leaf === null
      ? Buffer.from(Buffer.from(entry!.leaf).toString().replace('"timestamp":"2', '"timestamp":"3'))
      : leafBytes({ ...leaf, decision: 'block' });
  setBody(db, at, encodeSegment([{ record: entry!.record, leaf: forged }]));
  setHashes(db, at, leafHash(forged));
};

/** Recreates everything derived from the leaves, as a careful forger without the key would. */
const rebuildFrontier = (db: Db): void => {
  const frontier = new Frontier();
  for (const { leaf_hashes } of db.prepare('SELECT * FROM segment ORDER BY position').all() as Row[]) {
    frontier.append(leaf_hashes);
  }
  db.prepare('UPDATE log SET size = ?, frontier = ?').run(frontier.size, Buffer.from(frontier.toBytes()));
};

describe('a service starts', () => {
  test('on its own log', async () => {
    expect(await startAfter(() => undefined)).toBe('started');
  });

  test('if the file beside the database is gone, and recreates it', async () => {
    const folder = copyOf(original);
    rmSync(join(folder, 'newest-checkpoint'));
    expect(await startOn(folder)).toBe('started');
    expect(existsSync(join(folder, 'newest-checkpoint'))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  test('if the newest entries were not signed yet', async () => {
    const older = (db: Db): void => {
      const frontier = new Frontier();
      const rows = db.prepare('SELECT * FROM segment ORDER BY position LIMIT 7').all() as Row[];
      for (const { leaf_hashes } of rows) frontier.append(leaf_hashes);
      const { log } = db.prepare('SELECT log FROM log').get() as { log: string };
      const signer = loadSigner({ data: original, signingKey: null }, true);
      const text = `writecheck/${log}\n7\n${Buffer.from(frontier.root()).toString('base64')}\n`;
      db.prepare('UPDATE checkpoint SET size = 7, note = ?, frontier = ?').run(
        signer.note(text),
        Buffer.from(frontier.toBytes()),
      );
    };
    expect(await startAfter(older)).toBe('started');
    const tampered = await startAfter((db) => {
      older(db);
      forgeEntry(db, 12);
    });
    expect(tampered).toContain('entry 7 or one after it');
  });

  test('on a log of thousands of entries as fast as on one of a few', { tags: 'nightly' }, async () => {
    const folder = newFolder();
    const service = await startTestService({ folder });
    const { liveKey: key } = service;
    for (let i = 0; i < 60; i += 1) await checkAll(service.url, key, Array(50).fill(ALLOWED));
    await service.stop();
    let reads = 0;
    const again = await startTestService({
      folder,
      throughStore: (store) => ({
        ...store,
        segments: (...args) => {
          reads += 1;
          return store.segments(...args);
        },
      }),
    });
    await again.stop();
    expect(reads).toBeLessThan(5);
    // Both the block of 256 before the end and the rest after it are checked.
    const forgeAt = (position: number) => {
      const db = new Database(join(folder, 'writecheck.db'));
      const row = db
        .prepare('SELECT * FROM segment WHERE position <= ? ORDER BY position DESC LIMIT 1')
        .get(position) as Row;
      const hashes = Buffer.from(row.leaf_hashes);
      const entries: SegmentEntry[] = [...decodeSegment(row)];
      const at = position - row.position;
      const leaf = leafBytes({ ...parseLeaf(entries[at]!.leaf)!, decision: 'block' });
      entries[at] = { record: entries[at]!.record, leaf };
      hashes.set(leafHash(leaf), at * 32);
      setBody(db, row.position, encodeSegment(entries));
      setHashes(db, row.position, hashes);
      db.close();
      return () => {
        const back = new Database(join(folder, 'writecheck.db'));
        setBody(back, row.position, row.body);
        setHashes(back, row.position, row.leaf_hashes);
        back.close();
      };
    };
    for (const [at, range] of [
      [2_700, '2560 to 2815'],
      [2_900, '2816 to 2943'],
      [2_999, '2992 to 2999'],
    ] as const) {
      const undo = forgeAt(at);
      expect(await startOn(folder)).toContain(`one of the entries ${range} is not the one that was signed`);
      undo();
    }
    expect(await startOn(folder)).toBe('started');
    rmSync(folder, { recursive: true });
  });
});

describe('a service refuses to run, and names the entry,', () => {
  test('if any entry is edited, with or without its hash and the frontier', async () => {
    for (const at of [7, 17]) {
      const [edited, forged, rebuilt] = [
        await startAfter((db) => {
          const [entry] = decodeSegment(rowAt(db, at));
          const leaf = Buffer.from(entry!.leaf);
          leaf[20] = leaf[20]! ^ 1;
          setBody(db, at, encodeSegment([{ record: entry!.record, leaf }]));
        }),
        await startAfter((db) => forgeEntry(db, at)),
        await startAfter((db) => {
          forgeEntry(db, at);
          rebuildFrontier(db);
        }),
      ];
      expect(edited).toContain(`entry ${at} is not the one that was hashed`);
      // The signed subtrees of 26 entries have 16, 8 and 2 entries.
      const range = at < 16 ? 'one of the entries 0 to 15' : 'one of the entries 16 to 23';
      for (const outcome of [forged, rebuilt])
        expect(outcome).toContain(`${range} is not the one that was signed`);
    }
  });

  test('if a record is edited', async () => {
    const outcome = await startAfter((db) => {
      const [entry] = decodeSegment(rowAt(db, 8));
      const record = Buffer.concat([entry!.record, Buffer.from(' ')]);
      setBody(db, 8, encodeSegment([{ record, leaf: entry!.leaf }]));
    });
    expect(outcome).toContain('entry 8 has a different record than the one recorded');
  });

  test('if an entry is deleted or two are swapped', async () => {
    const deleted = await startAfter((db) => db.prepare('DELETE FROM segment WHERE position = 9').run());
    expect(deleted).toContain('entry 9 is missing');
    const swapped = await startAfter((db) => {
      const [one, two] = [rowAt(db, 4), rowAt(db, 5)];
      for (const [at, row] of [[4, two] as const, [5, one] as const]) {
        setBody(db, at, row.body);
        setHashes(db, at, row.leaf_hashes);
      }
    });
    expect(swapped).toContain('one of the entries 0 to 15 is not the one that was signed');
  });

  test('if the tail is cut, however carefully', async () => {
    const cut = (db: Db): void => {
      db.prepare('DELETE FROM segment WHERE position >= 15').run();
      rebuildFrontier(db);
    };
    expect(await startAfter(cut)).toContain('entry 15 is missing: 26 entries are signed, 15 are there');
    const unsigned = await startAfter((db) => {
      cut(db);
      db.prepare('DELETE FROM checkpoint').run();
    });
    expect(unsigned).toContain('entry 15 is missing: a checkpoint of 26 entries is kept, 15 are there');
  });

  test('and does not listen, and says so on the command line', async () => {
    const folder = copyOf(original);
    const db = new Database(join(folder, 'writecheck.db'));
    db.prepare('DELETE FROM segment WHERE position = 9').run();
    db.close();
    const { code, stdout, stderr } = await runWritecheck(['serve', '--port', '0', '--data', folder]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('entry 9 is missing');
    rmSync(folder, { recursive: true });
  });

  test('if the database file is rolled back', async () => {
    const folder = copyOf(original);
    const service = await startTestService({ folder });
    await check(service, ALLOWED, { key: liveKey });
    await service.stop();
    copyFileSync(join(original, 'writecheck.db'), join(folder, 'writecheck.db'));
    const outcome = await startOn(folder);
    expect(outcome).toContain('entry 26 is missing: a checkpoint of 27 entries is kept, 26 are there');
    expect(outcome).toContain('writecheck audit restore`');
    rmSync(folder, { recursive: true });
  });

  test('if another database or a fork replaces it', async () => {
    const other = newFolder();
    const { service } = await auditedService(6, { folder: other });
    await service.stop();
    const replaced = await startAfter((db, folder) => {
      db.close();
      copyFileSync(join(other, 'writecheck.db'), join(folder, 'writecheck.db'));
    });
    expect(replaced).toMatch(/signed by none of the keys|does not contain that log/);
    rmSync(other, { recursive: true });
    const fork = copyOf(original);
    const forked = await startTestService({ folder: fork });
    await check(forked, ALLOWED, { key: liveKey });
    await forked.stop();
    const folder = copyOf(original);
    const mine = await startTestService({ folder });
    await check(mine, ALLOWED, { key: liveKey });
    await mine.stop();
    copyFileSync(join(fork, 'writecheck.db'), join(folder, 'writecheck.db'));
    expect(await startOn(folder)).toContain('up to entry 26, are not those that were signed');
    for (const each of [fork, folder]) rmSync(each, { recursive: true });
  });

  test('if the checkpoint is signed by another key', async () => {
    const outcome = await startAfter((db) => {
      const note = (db.prepare('SELECT note FROM checkpoint').get() as { note: string }).note;
      const data = newFolder();
      const forged = loadSigner({ data, signingKey: null }, true).note(
        note.slice(0, note.indexOf('\n\n') + 1),
      );
      rmSync(data, { recursive: true });
      db.prepare('UPDATE checkpoint SET note = ?').run(forged);
    });
    expect(outcome).toContain('signed by none of the keys');
    const tampered = await startAfter((db) => {
      db.prepare(
        `UPDATE checkpoint SET note = replace(note, char(10) || '26' || char(10), char(10) || '25' || char(10))`,
      ).run();
    });
    expect(tampered).toContain('does not match its text');
  });

  test('and knows which allows were redeemed, even if the table was changed', async () => {
    const folder = newFolder();
    const service = await startTestService({ folder });
    const { body } = await check(service, ALLOWED);
    const redeem = (url: string) =>
      ask(`${url}/v1/decisions/${body.decision_id}/redeem`, {
        ...{ key: service.developmentKey, json: { intentDigest: body.intentDigest } },
      });
    expect((await redeem(service.url)).status).toBe(200);
    await service.stop();
    const db = new Database(join(folder, 'writecheck.db'));
    expect(db.prepare('DELETE FROM redemption').run().changes).toBe(1);
    db.close();
    const again = await startTestService({ folder });
    expect((await redeem(again.url)).body.error.code).toBe('already_redeemed');
    await again.stop();
    rmSync(folder, { recursive: true });
  });

  test('if the signing key is gone and has signed something, and starts again when it is back', async () => {
    const folder = copyOf(original);
    const file = join(folder, 'signing-key.pem');
    const pem = readFileSync(file, 'utf8');
    rmSync(file);
    expect(await startOn(folder)).toContain('is gone, and the log was signed with it; put it back');
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, pem);
    expect(await startOn(folder)).toBe('started');
    rmSync(folder, { recursive: true });
  });

  test('if the signing key cannot be used', () => {
    const data = newFolder();
    const file = join(data, 'key.pem');
    const refusalOf = (content: string | null): string => {
      if (content !== null) writeFileSync(file, content);
      const loaded = loadConfig({ WRITECHECK_SIGNING_KEY: file, WRITECHECK_DATA: data });
      if (loaded.kind === 'invalid') return loaded.faults.join();
      try {
        loadSigner(loaded.config, true);
      } catch (error) {
        return (error as Error).message;
      }
      return 'loaded';
    };
    const pem = (type: 'ed448' | 'x25519' | 'ed25519', cipher = {}) =>
      generateKeyPairSync(type as 'ed25519').privateKey.export({
        type: 'pkcs8',
        format: 'pem',
        ...cipher,
      } as never) as unknown as string;
    expect(refusalOf(null)).toContain('must be a file, and there is none at');
    expect(refusalOf('nonsense')).toContain('contains no private key in PKCS#8 PEM');
    expect(refusalOf(pem('ed25519', { cipher: 'aes-256-cbc', passphrase: 'p' }))).toContain(
      'without a passphrase',
    );
    expect(refusalOf(pem('ed448'))).toContain('`ed448`, but the log is signed with Ed25519');
    expect(refusalOf(pem('x25519'))).toContain('`x25519`');
    expect(refusalOf(pem('ed25519'))).toBe('loaded');
    rmSync(data, { recursive: true });
  });
});

test('a running service signs only logs that extend the one it signed', async () => {
  const folder = copyOf(original);
  const service = await startTestService({ folder });
  const before = (await ask(`${service.url}/v1/audit/checkpoint`)).text;
  const db = new Database(join(folder, 'writecheck.db'));
  forgeEntry(db, 6);
  rebuildFrontier(db);
  db.close();
  await check(service, ALLOWED, { key: liveKey });
  const after = await ask(`${service.url}/v1/audit/checkpoint`);
  expect(after.status).toBe(503);
  // And decides nothing on it.
  expect((await check(service, ALLOWED, { key: liveKey })).status).toBe(503);
  await expect.poll(() => service.logged()).toContain('the log could not be signed');
  expect(readFileSync(join(folder, 'newest-checkpoint'), 'utf8').startsWith(before)).toBe(true);
  await service.stop();
  expect(keysBefore).toContain('writecheck+');
  rmSync(folder, { recursive: true });
});

describe('a service whose log is rewritten while it runs', () => {
  test('signs only logs that extend the one it signed: no receipt, no checkpoint, and it is not ready', async () => {
    const folder = copyOf(original);
    const service = await startTestService({ folder });
    const decide = () => check(service, ALLOWED, { key: liveKey });
    const readReceipt = (id: string) => ask(`${service.url}/v1/decisions/${id}/receipt`, { key: liveKey });
    const { decision_id: honest } = (await decide()).body;
    expect((await readReceipt(honest)).status).toBe(200);
    expect((await ask(`${service.url}/readyz`)).status).toBe(200);
    const db = new Database(join(folder, 'writecheck.db'));
    db.transaction(() => {
      forgeEntry(db, 2);
      rebuildFrontier(db);
    }).immediate();
    db.close();
    // The rewrite is found as soon as the log is to be signed again, or a receipt is read.
    const { decision_id: forged } = (await decide()).body;
    expect((await readReceipt(forged)).status).toBe(503);
    expect((await ask(`${service.url}/v1/audit/checkpoint`)).status).toBe(503);
    expect((await decide()).status).toBe(503);
    while (!service.logged().includes('do not begin with the'))
      await new Promise((done) => setTimeout(done, 50));
    expect((await ask(`${service.url}/readyz`)).status).toBe(503);
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test('gives receipts even if others append to the same log in between', async () => {
    const folder = copyOf(original);
    const services = [await startTestService({ folder }), await startTestService({ folder })];
    for (let i = 0; i < 6; i += 1) {
      const service = services[i % 2]!;
      const decided = await check(service, ALLOWED, { key: liveKey });
      if (i % 3 === 2) continue;
      const { version } = await receiptOf(service.url, liveKey, decided);
      expect(version).toBe('writecheck.receipt.v1');
    }
    for (const service of services) await service.stop();
    rmSync(folder, { recursive: true });
  });
});

test('a service whose log is continued by another process decides nothing until it is restarted', async () => {
  const folder = newFolder();
  const service = await startTestService({ folder });
  const { liveKey } = service;
  expect((await check(service, ALLOWED, { key: liveKey })).status).toBe(200);
  for (const command of [restoreCommand, continueCommand])
    await expect(command({ freeze: false, data: folder })).rejects.toThrow('stop the service first');
  expect((await check(service, ALLOWED, { key: liveKey })).status).toBe(200);
  // A command of another version might do this.
  const beside = await openSqliteStore(folder);
  const from = (await beside.logs())[0]!;
  const log = 'log-0123456789abcdef';
  await expect.poll(() => existsSync(join(folder, 'newest-checkpoint'))).toBe(true);
  const checkpoint = readFileSync(join(folder, 'newest-checkpoint'), 'utf8').split('\n{')[0]!;
  const atMs = Date.now();
  const timestamp = new Date(atMs).toISOString();
  const leaf = continuationBytes({ kind: 'continuation', log, timestamp, checkpoint: `${checkpoint}\n` });
  expect(await beside.continueLogs([{ log, leaf, atMs, from: { log: from.log, size: from.size } }])).toBe(
    true,
  );
  await beside.close();
  // Not after the first failure either, when the writer opens the database again.
  for (let i = 0; i < 3; i += 1) expect((await check(service, ALLOWED, { key: liveKey })).status).toBe(503);
  const { body } = await check(service, ALLOWED, { key: liveKey });
  expect(body.error.message).toContain('a command continued the log');
  await service.stop();
  const again = await startTestService({ folder });
  expect((await check(again, ALLOWED, { key: liveKey })).status).toBe(200);
  await again.stop();
  rmSync(folder, { recursive: true });
});

test('a second restore starts no other log, unless it may have found a backup of the first', async () => {
  const folder = newFolder();
  const service = await startTestService({ folder });
  expect((await check(service, ALLOWED)).status).toBe(200);
  await service.stop();
  const restoredLogs = async (): Promise<number> => {
    await restoreCommand({ freeze: false, data: folder });
    const store = await openSqliteStore(folder);
    const logs = await store.logs();
    await store.close();
    return logs.length;
  };
  expect(await restoredLogs()).toBe(2);
  expect(await restoredLogs()).toBe(2);
  // A day later: decisions may have been recorded after the backup and lost with it.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  try {
    expect(await restoredLogs()).toBe(3);
  } finally {
    vi.useRealTimers();
  }
  rmSync(folder, { recursive: true });
});

test('a log that was still empty in the backup does not start a second time', async () => {
  const folder = newFolder();
  // The service has no live key, whose creation would be the first entry.
  const service = await startTestService({ folder, settings: { plan: 'hosted' } });
  const { log } = service.store;
  await service.stop();
  await restoreCommand({ freeze: false, data: folder });
  const again = await startTestService({ folder });
  expect(again.store.log).toMatch(/^log-[0-9a-f]{16}$/);
  expect(again.store.log).not.toBe(log);
  expect((await check(again, ALLOWED, { key: service.developmentKey })).status).toBe(200);
  expect((await ask(`${again.url}/v1/audit/logs`)).body.logs).toHaveLength(1);
  await again.stop();
  rmSync(folder, { recursive: true });
});
