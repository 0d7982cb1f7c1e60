/** Old decisions may be kept outside the database: responses stay the same, and nothing forged is accepted. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '@writecheck/contract';
import type { LogHead } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { countPrunable, ERASURE, erase } from '../../../store/test/erase.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { openStore } from '../../src/runtime/open-store.ts';
import { loadConfig } from '../../src/support/config/load-config.ts';
import { ask } from '../ask.ts';
import { runWritecheck, spawnWritecheck } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';
import { bucketArchive, folderArchive, type Grown, grownService, type TestArchive } from './archive-kit.ts';
import { exportOf, newFolder, verdictOf } from './audit-kit.ts';

const ARCHIVED = 4 * 256;
/** An entry in the third tile, which is the second archived one. */
const OLD = 600;
const beforeMs = () => Date.now() - 30 * DAY_MS;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

const PLACES = [
  { name: 'SQLite with a folder', open: folderArchive, database: async () => ({}), tags: [] },
  {
    name: 'PostgreSQL with a bucket',
    open: bucketArchive,
    database: async () => ({ databaseUrl: await server.newServiceDatabase() }),
    tags: ['nightly'],
  },
];

for (const { name, open, database, tags } of PLACES)
  describe(name, { tags }, () => {
    let archive: TestArchive;
    let grown: Grown;
    let settings: { readonly archive: string; readonly databaseUrl?: string };
    const decision = async (place: number, url = grown.service.url) =>
      ask(`${url}/v1/decisions/${grown.decisionIds[place]}`, { key: grown.service.ownerKey });
    const tile = async (index: number) =>
      `${(await grown.service.store.logs())[0]!.log}/tile/entries/00${index}`;
    const exported = async () => {
      const keys = (await ask(`${grown.service.url}/v1/audit/key`)).text;
      const lines = await exportOf(grown.service);
      const verdict = await verdictOf(lines, { keys });
      return { lines, verdict };
    };
    const list = async () => {
      const { body } = await ask(`${grown.service.url}/v1/decisions?limit=200&order=asc`, {
        key: grown.service.ownerKey,
      });
      return body.decisions;
    };

    beforeAll(async () => {
      archive = await open();
      settings = { archive: archive.place, ...(await database()) };
      grown = await grownService(settings);
    });
    afterAll(async () => {
      await grown.service.stop();
      await archive.remove();
    });

    test('archived decisions are shown, listed, exported, verified and reindexed as before', async () => {
      const { store } = grown.service;
      const answers = async () => [
        await exported(),
        await list(),
        (await decision(OLD)).text,
        (await decision(ARCHIVED + 255)).text,
      ];
      const before = await answers();
      expect(before[0]).toMatchObject({ verdict: { ok: true } });
      // Too recent for 200 days.
      expect(await store.archive(Date.now() - 200 * DAY_MS)).toBe(0);
      expect(await store.archive(beforeMs())).toBe(ARCHIVED);
      expect(await store.archive(beforeMs())).toBe(0);
      expect(archive.read(await tile(1)).length).toBeGreaterThan(1_000);
      expect(await answers()).toEqual(before);
      // The first entry is the creation of the live key.
      expect(await store.rebuildIndex()).toBe(1 + grown.decisionIds.length);
      expect(await answers()).toEqual(before);
    });

    test('an impact run replays archived decisions', async () => {
      const key = grown.service.ownerKey;
      const runs = `${grown.service.url}/v1/policies/impact`;
      const { id } = (await ask(runs, { key, json: { current: true } })).body.run;
      const ended = () => ask(`${runs}/${id}`, { key });
      await expect.poll(async () => (await ended()).body.run.state, { timeout: 110_000 }).toBe('done');
      const decisions = grown.decisionIds.length;
      expect((await ended()).body.report.coverage).toMatchObject({ decisions, replayed: decisions });
    });

    test('a missing, foreign or changed file is an error for its records, and never returns other records', async () => {
      const name = await tile(2);
      const original = archive.read(name);
      const other = archive.read(await tile(3));
      const { workspace, folder: data } = grown.service;
      const flipped = Buffer.from(original);
      flipped[original.length >> 1]! ^= 1;
      for (const forged of [null, other, flipped, original]) {
        archive.write(name, forged);
        // Another process, which has nothing in memory.
        const loaded = loadConfig({}, { data, ...settings });
        const store = await openStore((loaded as Extract<typeof loaded, { kind: 'config' }>).config, 'visit');
        const find = (place: number) => store.findDecision(workspace, grown.decisionIds[place]!);
        try {
          if (forged === original) expect(await find(OLD)).toMatchObject({ leafIndex: 1 + OLD });
          else
            await expect(find(OLD)).rejects.toMatchObject({
              why: 'archive',
              cause: { message: expect.stringContaining(name) },
            });
          expect(await find(OLD + 256)).toMatchObject({ leafIndex: 1 + OLD + 256 });
          expect(await find(10)).toMatchObject({ leafIndex: 11 });
        } finally {
          await store.close();
        }
      }
    });

    test('a file of the archive that is missing or changed is noticed before anybody reads it', async () => {
      const { store } = grown.service;
      const name = await tile(4);
      const original = archive.read(name);
      expect(await store.archiveProblem()).toBeNull();
      archive.write(name, null);
      expect(await store.archiveProblem()).toBe(`${name} in the archive cannot be read: it is missing`);
      archive.write(name, archive.read(await tile(3)));
      expect(await store.archiveProblem()).toBe(`${name} in the archive does not hold what was archived`);
      archive.write(name, original);
      expect(await store.archiveProblem()).toBeNull();
    });

    test('without the archive the service starts and decides, and only archived records are missing', async () => {
      const { archive: _, ...without } = settings;
      const alone = await startTestService({ folder: grown.service.folder, settings: without });
      try {
        const missing = await decision(OLD, alone.url);
        expect([missing.status, missing.body.error.code]).toEqual([503, 'store_unavailable']);
        expect(missing.body.error.message).toContain('check WRITECHECK_ARCHIVE');
        expect(await alone.store.archiveProblem()).toBe(
          `${await tile(4)} in the archive cannot be read: WRITECHECK_ARCHIVE is not set`,
        );
        await expect(exportOf({ ...alone, ownerKey: grown.service.ownerKey })).rejects.toThrow();
        // Continuing the log cannot help, and the message says so.
        const [{ log, size }] = (await alone.store.logs()) as [LogHead];
        const place = { lines: 300, log, index: OLD, sizes: { [log]: size } };
        const resume = Buffer.from(JSON.stringify(place)).toString('base64url');
        const { status, body: refused } = await ask(`${alone.url}/v1/audit/export?resume=${resume}`, {
          key: grown.service.ownerKey,
        });
        expect([status, refused.error.message]).toEqual([503, missing.body.error.message]);
        expect((await decision(10, alone.url)).status).toBe(200);
        const { body } = await ask(`${alone.url}/readyz`);
        expect(body).toMatchObject({ status: 'ok' });
      } finally {
        await alone.stop();
      }
    });

    test('a prune empties archived records in the files too, and the next run completes an interrupted one', async () => {
      const { store, workspace } = grown.service;
      const name = await tile(2);
      const query = { workspace, objectRef: `V-${OLD}` };
      expect(archive.holds(name, `"V-${OLD}"`)).toBe(true);
      // The records were read, and the file disappears before it is written, as if the process was killed in
      // between.
      expect(await countPrunable(store, query)).toBe(1);
      const found = await store.findPrunable(query);
      const erasure = { ...ERASURE, atMs: await store.newestAtMs() };
      const nothing = { decisions: new Set(['dec_none']), reviews: new Set<string>() };
      await store.prune({ ...found, only: nothing, traced: nothing.decisions }, erasure);
      const original = archive.read(name);
      archive.write(name, null);
      await expect(store.prune(found, erasure)).rejects.toMatchObject({ why: 'archive' });
      archive.write(name, original);
      expect((await decision(OLD)).status).toBe(410);
      expect(archive.holds(name, `"V-${OLD}"`)).toBe(true);
      await erase(store, query);
      expect(archive.holds(name, `"V-${OLD}"`)).toBe(false);
      expect(archive.holds(name, `"V-${OLD + 1}"`)).toBe(true);
      expect((await decision(OLD)).status).toBe(410);
      expect((await decision(OLD + 1)).status).toBe(200);
      const { lines, verdict } = await exported();
      expect(verdict).toMatchObject({ ok: true });
      expect(lines.filter((line) => line.includes('"kind":"hash"'))).toHaveLength(1);
      // Everything of the archived part, without reading it again once it is empty.
      await erase(store, { beforeMs: Date.now() - 50 * DAY_MS });
      expect(archive.holds(name, '"V-')).toBe(false);
      archive.write(name, null);
      expect(await erase(store, { beforeMs: Date.now() - 50 * DAY_MS })).toBe(0);
      expect((await exported()).verdict).toMatchObject({ ok: true });
    });
  });

test('a command that is killed between its steps loses nothing; the next one finishes; and the archive outlives a move to PostgreSQL', async () => {
  const archive = await folderArchive();
  const folder = newFolder();
  const { service, decisionIds } = await grownService({ archive: archive.place }, folder);
  const { ownerKey } = service;
  const before = await exportOf(service);
  const [{ log }] = (await service.store.logs()) as [LogHead];
  await service.stop();
  const movedTo = (place: string) => [
    ...['audit', 'archive', '--older-than', '30', '--data', folder],
    ...['--archive', place],
  ];
  const nowhere = join(newFolder(), 'misspelt');
  for (const place of [nowhere, import.meta.filename])
    expect(await runWritecheck(movedTo(place))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`there is no folder \`${place}\`; create it`),
    });
  expect(existsSync(nowhere)).toBe(false);
  const args = movedTo(archive.place);
  const killed = spawnWritecheck(args);
  await vi.waitUntil(() => existsSync(join(archive.place, log, 'tile/entries/002')), {
    timeout: 20_000,
    interval: 1,
  });
  killed.child.kill('SIGKILL');
  await killed.finished;
  const { stdout } = await runWritecheck(args);
  expect(stdout).toMatch(/^archived (1024|0) entries; their hashes stay in the database$/m);
  expect((await runWritecheck(args)).stdout).toContain('archived 0 entries');
  const elsewhere = await runWritecheck(movedTo(newFolder()));
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    expect.stringContaining('what was archived before is elsewhere'),
  ]);

  const alone = spawnWritecheck(['serve', '--data', folder, '--port', '0']);
  await vi.waitUntil(() => alone.stderr().includes('records that were archived cannot be read'), 20_000);
  expect(alone.stderr()).toContain(`${log}/tile/entries/004 in the archive cannot be read`);
  alone.child.kill('SIGTERM');
  expect((await alone.finished).code).toBe(0);

  const databaseUrl = await server.newServiceDatabase();
  await runWritecheck(['migrate-store', '--data', folder, '--database-url', databaseUrl]);
  const moved = await startTestService({ folder, settings: { databaseUrl, archive: archive.place } });
  expect(await exportOf({ ...moved, ownerKey })).toEqual(before);
  expect((await ask(`${moved.url}/v1/decisions/${decisionIds[OLD]}`, { key: ownerKey })).status).toBe(200);
  await moved.stop();
  await archive.remove();
});

test('a prune and a move to the archive at the same time leave no erased record in a file', async () => {
  const archive = await folderArchive();
  const { service } = await grownService({ archive: archive.place });
  const { store, workspace } = service;
  // It signs everything, so everything may be archived.
  await exportOf(service);
  const [{ log }] = (await store.logs()) as [LogHead];
  const objects = [300, 700, 1_200];
  await Promise.all([
    store.archive(beforeMs()),
    ...objects.map((i) => erase(store, { workspace, objectRef: `V-${i}` })),
  ]);
  for (const i of objects)
    expect(archive.holds(`${log}/tile/entries/00${Math.floor(i / 256)}`, `"V-${i}"`), `${i}`).toBe(false);
  const keys = (await ask(`${service.url}/v1/audit/key`)).text;
  const lines = await exportOf(service);
  expect(await verdictOf(lines, { keys })).toMatchObject({ ok: true });
  expect(lines.filter((line) => line.includes('"kind":"hash"'))).toHaveLength(objects.length);
  await service.stop();
  await archive.remove();
});
