/** A nightly verification reads only the entries after the checkpoints that the last one kept, and says so. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExportHeader, parseExportLine } from '@writecheck/ledger';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeSegment, encodeSegment } from '../../../store/src/log/segment.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { type AuditedService, auditedService, exportOf, newFolder, verdictOf } from './audit-kit.ts';

interface Row {
  readonly position: number;
  readonly count: number;
  readonly body: Buffer;
  readonly leaf_hashes: Buffer;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describe.each(['SQLite', 'PostgreSQL'])('an export since a checkpoint, on %s', (kind) => {
  let audited: AuditedService;
  let databaseUrl: string;
  /** Verified signed checkpoints, and the sizes to begin at. */
  let trusted: readonly string[];
  let since: string;
  let entriesBefore: number;

  const headOf = (lines: readonly string[]) => parseExportLine(lines[0]!) as ExportHeader;
  const tonight = () => exportOf(audited.service, { since });
  const verify = (lines: readonly string[], knownCheckpoints = trusted) =>
    verdictOf(lines, { keys: audited.keys, knownCheckpoints });

  beforeAll(async () => {
    databaseUrl = kind === 'SQLite' ? '' : await server.newServiceDatabase();
    audited = await auditedService(2, databaseUrl === '' ? {} : { settings: { databaseUrl } });
    const whole = await exportOf(audited.service);
    const verdict = await verify(whole, []);
    if (!verdict.ok) throw new Error(verdict.words);
    trusted = headOf(whole).logs.map(({ checkpoint }) => checkpoint);
    const sizes = Object.fromEntries(verdict.logs.map(({ log, size }) => [log, size]));
    entriesBefore = Object.values(sizes).reduce((sum, size) => sum + size, 0);
    since = Buffer.from(JSON.stringify(sizes)).toString('base64url');
    for (const objectRef of ['N-1', 'N-2', 'N-3'])
      await check(audited.service, { ...ALLOWED, objectRef }, { key: audited.service.liveKey });
    await check(audited.service, ALLOWED, { key: audited.stranger.developmentKey });
  });
  afterAll(() => audited.service.stop());

  async function rows(): Promise<readonly Row[]> {
    const text = 'SELECT position, count, body, leaf_hashes FROM segment ORDER BY position';
    if (kind === 'PostgreSQL')
      return onServer(databaseUrl, async (client) => {
        const { rows } = await client.query(text.replace('segment', 'writecheck.segment'));
        return rows.map((row) => ({ ...row, position: Number(row.position) }));
      });
    const db = new Database(databasePath(audited.service.folder), { readonly: true });
    const found = db.prepare(text).all() as Row[];
    db.close();
    return found;
  }
  async function write({ position, body, leaf_hashes }: Row): Promise<void> {
    if (kind === 'PostgreSQL') {
      const text = 'UPDATE writecheck.segment SET body = $2, leaf_hashes = $3 WHERE position = $1';
      return void (await onServer(databaseUrl, (client) =>
        client.query(text, [position, body, leaf_hashes]),
      ));
    }
    const db = new Database(databasePath(audited.service.folder));
    db.prepare('UPDATE segment SET body = ?, leaf_hashes = ? WHERE position = ?').run(
      body,
      leaf_hashes,
      position,
    );
    db.close();
  }
  /** Changes a stored segment for as long as `look` looks. */
  async function withChanged<T>(row: Row, changes: Partial<Row>, look: () => Promise<T>): Promise<T> {
    await write({ ...row, ...changes });
    try {
      return await look();
    } finally {
      await write(row);
    }
  }
  function otherRecords(row: Row): Partial<Row> {
    const entries = decodeSegment(row).map(({ record, leaf }) => ({
      leaf,
      record: Buffer.from(Buffer.from(record).toString().replace('"allow"', '"block"')),
    }));
    return { body: encodeSegment(entries) };
  }
  function otherHashes({ leaf_hashes }: Row): Partial<Row> {
    const changed = Buffer.from(leaf_hashes);
    changed[0]! ^= 1;
    return { leaf_hashes: changed };
  }
  const isAllow = (row: Row) =>
    decodeSegment(row).some(({ leaf }) => Buffer.from(leaf).includes('"decision":"allow"'));

  test('has only the entries after it, verifies, and says how much was not read', async () => {
    const lines = await tonight();
    const verdict = await verify(lines);
    expect(verdict).toMatchObject({ ok: true, unread: { entries: entriesBefore }, counts: { decisions: 3 } });
    expect(lines.filter((line) => /^\{"kind":"(?:entry|hash)"/.test(line)).length).toBe(4);
    expect(await verify(lines, [])).toMatchObject({ ok: false, fault: { code: 'untrusted_start' } });
  });

  test('finds every record and hash that was changed after it', async () => {
    const found: unknown[] = [];
    for (const row of (await rows()).slice(-4)) {
      if (isAllow(row))
        found.push((await withChanged(row, otherRecords(row), async () => verify(await tonight()))).ok);
      found.push((await withChanged(row, otherHashes(row), async () => verify(await tonight()))).ok);
    }
    // A shown entry is hashed from its content, so its stored hash does not matter; the stranger's entry is not
    // shown.
    expect(found.filter((ok) => !ok).length).toBe(4);
    expect((await verify(await tonight())).ok).toBe(true);
  });

  test('finds a stored hash that was changed before it, if that changes the tree', async () => {
    const [first] = await rows();
    const verdict = await withChanged(first!, otherHashes(first!), async () => verify(await tonight()));
    expect(verdict).toMatchObject({ ok: false, fault: { code: 'root_mismatch' } });
  });

  test('does not find a record that was changed before it, which a whole export does', async () => {
    const row = (await rows()).find(isAllow)!;
    const [part, whole] = await withChanged(row, otherRecords(row), async () => [
      await verify(await tonight()),
      await verify(await exportOf(audited.service)),
    ]);
    expect(part).toMatchObject({ ok: true, unread: { entries: entriesBefore } });
    expect(whole).toMatchObject({ ok: false, fault: { code: 'record_mismatch' } });
  });

  test('shows a log that is shorter than what was trusted as a whole, so that the loss is seen', async () => {
    const { log } = headOf(await tonight()).logs[0]!;
    const more = Buffer.from(JSON.stringify({ [log]: 1_000 })).toString('base64url');
    const lines = await exportOf(audited.service, { since: more });
    expect(headOf(lines).logs[0]!.since).toBeUndefined();
    expect((await verify(lines)).ok).toBe(true);
  });

  test('is refused with anything but a list of sizes, and together with a place to resume at', async () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const refused = ['x', encoded(null), encoded([1]), encoded({ log: -1 }), encoded({ log: 1.5 })];
    const queries = [...refused.map((each) => `since=${each}`), `since=${since}&resume=e30`];
    for (const query of queries) {
      const { url, ownerKey } = audited.service;
      const { status } = await ask(`${url}/v1/audit/export?${query}`, { key: ownerKey });
      expect(status, query).toBe(422);
    }
  });

  test.runIf(kind === 'SQLite')(
    'on the command line, each night trusts what the last one verified',
    async () => {
      const desk = newFolder();
      const file = (name: string) => join(desk, name);
      const audit = (...args: readonly string[]) =>
        callWritecheck(['audit', ...args], {
          WRITECHECK_URL: audited.service.url,
          WRITECHECK_OWNER_KEY: audited.service.ownerKey,
        });
      writeFileSync(file('audit.key'), audited.keys);
      const nightly = async (name: string, ...trust: readonly string[]) => {
        expect((await audit('export', '--out', file(name), ...trust)).code).toBe(0);
        return audit('verify', file(name), '--keys', file('audit.key'), ...trust, '--keep', file('trusted'));
      };
      const first = await nightly('1.ndjson');
      expect([first.code, first.stdout.includes('not read')]).toEqual([0, false]);
      await check(audited.service, ALLOWED, { key: audited.service.liveKey });
      copyFileSync(file('trusted'), file('before'));
      const second = await nightly('2.ndjson', '--since', file('trusted'));
      expect([second.code, second.stdout]).toEqual([
        0,
        expect.stringContaining('verified: 1 entry after the trusted checkpoints'),
      ]);
      expect(second.stdout).toMatch(/not read: the \d+ entries before the trusted checkpoints/);
      // The same file again, as after a repeated night: it has nothing new, and no log was rewritten.
      const again = await audit(
        ...['verify', file('2.ndjson'), '--keys', file('audit.key'), '--since', file('trusted')],
      );
      expect([again.code, again.stderr]).toEqual([
        2,
        expect.stringContaining('made with other checkpoints than `--since` gives here'),
      ]);
      // What is not verified is not trusted the next night.
      const kept = readFileSync(file('trusted'));
      const cut = readFileSync(file('2.ndjson'), 'utf8').replace('"index":', '"index":1');
      writeFileSync(file('cut.ndjson'), cut);
      const refused = await audit(
        ...['verify', file('cut.ndjson'), '--keys', file('audit.key')],
        ...['--since', file('before'), '--keep', file('trusted')],
      );
      expect(refused.code).toBe(1);
      expect(readFileSync(file('trusted'))).toEqual(kept);
      expect(existsSync(file('trusted.part'))).toBe(false);
      rmSync(desk, { recursive: true });
    },
  );
});
