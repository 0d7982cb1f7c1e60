/** Several tenants on a running service: three deciding threads on SQLite, or two replicas on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@writecheck/store/port';
import { expect } from 'vitest';
import { startTestServer } from '../../../store/test/test-postgres.ts';
import { createWorkspace } from '../../src/features/keys/create-workspace.ts';
import { makeFirstWorkspace } from '../../src/runtime/open-store.ts';
import { ask } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { type Answered, type Caller, callersOf } from '../load.ts';
import { CONNECTIONS, codesOf, startThreads } from '../running/threads-kit.ts';
import type { Finished } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';

export interface Tenant {
  readonly id: string;
  readonly ownerKey: string;
  readonly developmentKey: string;
  /** Empty if the plan is hosted. */
  readonly liveKey: string;
}

export interface Tenants {
  /** One for each process. */
  readonly urls: readonly string[];
  readonly store: Store;
  readonly first: Tenant;
  /** Where a command finds the store. */
  readonly place: readonly string[];
  /** Made by an operator. */
  made(name?: string): Promise<Tenant>;
  signedUp(name?: string): Promise<Tenant>;
  command(...args: readonly string[]): Promise<Finished>;
  /** Connections to every thread and replica, from an address of its own: past a number of failed authentications, an
   * address is told less. */
  callers(request: string): Promise<readonly Caller[]>;
  stop(): Promise<void>;
}

type Settings = { readonly [name: string]: string };

export async function tenantsOn(kind: 'SQLite' | 'PostgreSQL', settings: Settings = {}): Promise<Tenants> {
  const started = kind === 'SQLite' ? await threeThreads(settings) : await twoReplicas(settings);
  const { urls, store, place, stop } = started;
  const isHosted = settings.plan === 'hosted';
  const withLive = async (made: {
    readonly workspace: { readonly id: string };
    readonly ownerKey: string;
    readonly developmentKey: string;
  }): Promise<Tenant> => {
    const { ownerKey, developmentKey } = made;
    const live = isHosted ? null : await newKey(urls[0]!, ownerKey, 'live');
    return { id: made.workspace.id, ownerKey, developmentKey, liveKey: live ?? '' };
  };
  let addresses = 0;
  return {
    ...{ urls, store, place, stop },
    first: await withLive(started.first),
    made: async (name = 'made') => withLive(await createWorkspace(store, name, Date.now())),
    async signedUp(name = 'signed up') {
      const { status, body, text } = await ask(`${urls[0]}/v1/workspaces`, { json: { name } });
      expect(status, text).toBe(201);
      return withLive(body);
    },
    command: (...args) => callWritecheck([...args, ...place]),
    async callers(request) {
      addresses += 1;
      const sent = request.replace('\r\n', `\r\nX-Forwarded-For: 203.0.113.${addresses}\r\n`);
      const count = CONNECTIONS / urls.length;
      return (await Promise.all(urls.map((url) => callersOf(url, sent, count)))).flat();
    },
  };
}

async function newKey(url: string, owner: string, kind: string): Promise<string> {
  const { status, body, text } = await ask(`${url}/v1/keys`, { key: owner, json: { kind, name: kind } });
  expect(status, text).toBe(201);
  return body.secret;
}

async function threeThreads(settings: Settings) {
  const data = mkdtempSync(join(tmpdir(), 'writecheck-tenants-'));
  const service = await startThreads({ data, trustProxy: '127.0.0.1', ...settings });
  const first = (await makeFirstWorkspace(service.store, Date.now()))!;
  return {
    ...{ urls: [service.url], store: service.store, first, place: ['--data', data] },
    async stop() {
      await service.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function twoReplicas(settings: Settings) {
  const server = await startTestServer();
  const databaseUrl = await server.newDatabase();
  const own = { databaseUrl, trustProxy: '127.0.0.1', ...settings };
  const one = await startTestService({ settings: own });
  const two = await startTestService({ settings: own });
  const { ownerKey, developmentKey, workspace: id } = one;
  return {
    ...{ urls: [one.url, two.url], store: one.store, first: { workspace: { id }, ownerKey, developmentKey } },
    place: ['--database-url', databaseUrl, '--data', one.folder],
    async stop() {
      await Promise.all([one.stop(), two.stop()]);
      await server.remove();
    },
  };
}

/** A busy machine may refuse some before their key is judged. */
export function codesBut503(answers: readonly Answered[]): readonly string[] {
  return codesOf(answers).filter((code) => !code.startsWith('503'));
}

/** How long a command's result may take to reach every thread and replica. */
export const WITHIN_MS = 1_000;

export const later = (ms = WITHIN_MS): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
