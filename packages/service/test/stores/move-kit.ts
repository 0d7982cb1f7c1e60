/** Two services with separate stores, and the commands that move a workspace between them. */
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, parseEntry } from '@writecheck/ledger';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { onServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check, type Reply } from '../ask.ts';
import { newFolder } from '../audit/audit-kit.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { startTestService, type TestService } from '../start-service.ts';

export interface Place {
  readonly service: TestService;
  /** The flags that name its store. */
  readonly flags: readonly string[];
  /** A file with its verifier key. */
  readonly keys: string;
  readonly keysFile: readonly string[];
  command(...args: readonly string[]): ReturnType<typeof callWritecheck>;
  address(): Promise<string>;
  /** Runs SQL on the database. */
  runSql(text: string): Promise<void>;
  restart(): Promise<Place>;
  remove(): Promise<void>;
}

export async function openPlace(
  server: TestServer | null,
  given?: { folder: string; databaseUrl?: string },
): Promise<Place> {
  const folder = given?.folder ?? newFolder();
  const databaseUrl = given === undefined ? await server?.newDatabase() : given.databaseUrl;
  const settings = databaseUrl === undefined ? {} : { databaseUrl };
  const service = await startTestService({ folder, settings });
  const flags = ['--data', folder, ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl])];
  const keys = (await ask(`${service.url}/v1/audit/key`)).text.trim();
  const command = (...args: readonly string[]) => callWritecheck([...args, ...flags]);
  return {
    service,
    flags,
    keys,
    keysFile: ['--keys', keys],
    command,
    async address() {
      const { stdout, stderr } = await command('workspace', 'address');
      expect(stderr).toBe('');
      return stdout.trim();
    },
    async runSql(text) {
      if (databaseUrl !== undefined) {
        await onServer(databaseUrl, (client) => client.query(text.replace('UPDATE ', 'UPDATE writecheck.')));
        return;
      }
      const db = new Database(join(folder, 'writecheck.db'));
      db.exec(text);
      db.close();
    },
    async restart() {
      await service.stop();
      return openPlace(server, { folder, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    },
    async remove() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Simulates a kill of the command after its single transaction. */
export async function interruptImport(place: Place, workspace: string, file: string): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const signed = text.slice(0, text.lastIndexOf('{"kind":"end"'));
  const arriving = `here, from sha256:${hash('sha256', signed)}`;
  await place.runSql(`UPDATE workspace SET moved_to = '${arriving}' WHERE id = '${workspace}'`);
  await place.runSql(
    `UPDATE api_key SET revoked_ms = 1, revoked_by = '{"kind":"move"}' WHERE workspace = '${workspace}' AND revoked_ms IS NULL`,
  );
  // Waits as long as a process may still cache a key.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

/** The entries of one workspace, each log in its order, and the log that names its end last. */
export async function entriesOf(store: TestService['store'], workspace: string): Promise<readonly Entry[]> {
  const logs: Entry[][] = [];
  for (const { log, size } of await store.logs()) {
    const entries: Entry[] = [];
    for (let at = 0; at < size; ) {
      for (const segment of await store.segments(log, at, 64)) {
        entries.push(...segment.entries.flatMap(({ leaf }) => parseEntry(leaf) ?? []));
        at = segment.firstIndex + segment.entries.length;
      }
    }
    logs.push(entries.filter((entry) => workspaceOf(entry) === workspace));
  }
  const isLast = (entries: readonly Entry[]) =>
    Number(entries.some(({ kind }) => kind === 'workspace.moved'));
  return logs.sort((a, b) => isLast(a) - isLast(b)).flat();
}

function workspaceOf(entry: Entry): unknown {
  return entry.kind === 'decision'
    ? entry.leaf.workspace
    : (entry as { readonly workspace?: unknown }).workspace;
}

let files = 0;

export function newFile(folder: string): string {
  files += 1;
  return join(folder, `move-${files}.ndjson`);
}

/** Moves it with the real commands; resolves with the file. */
export async function move(workspace: string, from: Place, to: Place, folder: string): Promise<string> {
  const out = newFile(folder);
  const exported = await from.command(
    'workspace',
    'export',
    workspace,
    '--to',
    await to.address(),
    '--out',
    out,
  );
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  const imported = await to.command('workspace', 'import', out, ...from.keysFile);
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  return out;
}

export const LIMITED = [
  { kind: 'ControlPack', id: 'pack', controls: { approval: { assurance: 'attested', review: true } } },
  { kind: 'Profile', id: 'crm', match: { system: 'crm' }, require: ['approval'] },
  { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true },
  {
    ...{ kind: 'Limit', id: 'refunds', version: '1', match: { system: 'pay' } },
    ...{ by: ['intent.metadata.context.customer'], max: 5, per: 'day' },
  },
];

export const refund = (customer: string, note = '') => ({
  ...{ system: 'pay', operation: 'refund.create', metadata: { context: { customer } } },
  ...(note === '' ? {} : { objectRef: note }),
});

export function redeem(
  { url }: TestService,
  key: string,
  { body }: Reply,
  headers: HeadersInit = {},
): Promise<Reply> {
  const json = { intentDigest: body.intentDigest };
  return ask(`${url}/v1/decisions/${body.decision_id}/redeem`, { key, json, headers });
}

/** A workspace with one of everything that must not happen a second time. */
export async function livedIn({ service }: Place) {
  const { ownerKey, liveKey } = service;
  const call = (path: string, json: unknown, key = ownerKey, method = 'POST') =>
    ask(service.url + path, { key, json, method });
  const applied = await call('/v1/policies?confirmLoosening=true', { documents: LIMITED }, ownerKey, 'PUT');
  expect(applied.status, applied.text).toBe(200);
  const once = { key: liveKey, headers: { 'idempotency-key': 'once' } };
  const kept = await check(service, refund('ann', 'kept'), once);
  const taken = await check(service, refund('ann', 'taken'), {
    key: liveKey,
    headers: { prefer: 'receipt' },
  });
  const takenOnce = { 'idempotency-key': 'taken-once' };
  expect((await redeem(service, liveKey, taken, takenOnce)).status).toBe(200);
  const open = await check(service, refund('ann', 'open'), { key: liveKey });
  expect([kept.body.decision, taken.body.decision, open.body.decision]).toEqual(['allow', 'allow', 'allow']);
  const reviewed = { ...ALLOWED, objectRef: 'C-9', requiredControls: ['approval'], controlEvidence: [] };
  const paused = await check(service, reviewed, { key: liveKey });
  const opened = await call('/v1/reviews', { decision_id: paused.body.decision_id }, liveKey);
  expect(opened.status, opened.text).toBe(201);
  const { review } = opened.body;
  const frozen = await call('/v1/freezes', { reason: 'no \\ more', scope: { system: 'erp' } });
  expect(frozen.status, frozen.text).toBe(201);
  const hook = { url: 'https://hooks.example.com/a', events: ['decision.paused'] };
  expect((await call('/v1/webhooks', hook)).status).toBe(201);
  return { kept, once, taken, takenOnce, open, reviewed, review };
}
