/** Starts a real service on a real store for a test: a new folder, a free port, a clock that the test can move. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@writecheck/store/port';
import { makeFirstWorkspace, openStore, startService } from '../src/runtime/open-store.ts';
import { type Flags, loadConfig } from '../src/support/config/load-config.ts';
import { createLog } from '../src/support/observability/log.ts';

export interface TestService {
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly workspace: string;
  readonly ownerKey: string;
  readonly developmentKey: string;
  readonly liveKey: string;
  readonly folder: string;
  readonly store: Store;
  /** Every log line so far. */
  readonly logged: () => string;
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  /** Milliseconds; the system clock by default. */
  readonly clock?: () => number;
  /** Milliseconds since the machine started; a given clock is compared with another clock only if this is given. */
  readonly uptime?: () => number;
  readonly settings?: Flags;
  /** The folder of an earlier, stopped service, to continue with its store; the store is then not removed. */
  readonly folder?: string;
  /** Wraps the store, for tests of errors. */
  readonly throughStore?: (store: Store) => Store;
  readonly environment?: NodeJS.ProcessEnv;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const clock = options.clock ?? Date.now;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'writecheck-test-'));
  const loaded = loadConfig({}, { port: '0', data: folder, logLevel: 'debug', ...options.settings });
  if (loaded.kind === 'invalid') throw new Error(loaded.faults.join('\n'));
  const { config } = loaded;
  const own = await openStore(config);
  const store = options.throughStore?.(own) ?? own;
  let lines = '';
  const log = createLog(config.logLevel, (line) => {
    lines += line;
  });
  const { environment = {}, uptime } = options;
  const service = await startService({
    ...{ config, store, log, clock, environment },
    ...(uptime === undefined ? {} : { uptime }),
  }).catch(async (thrown) => {
    await own.close();
    throw thrown;
  });
  const first = await makeFirstWorkspace(own, clock());
  const { workspace, ownerKey, developmentKey } = first ?? NO_KEYS;
  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    workspace: workspace.id,
    ownerKey,
    developmentKey,
    liveKey: first === null || config.plan === 'hosted' ? '' : await makeLiveKey(service.url, ownerKey),
    folder,
    store: own,
    logged: () => lines,
    async stop() {
      await service.stop({ idleGraceMs: 0 });
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The secrets of an existing store cannot be shown again. */
const NO_KEYS = { workspace: { id: '' }, ownerKey: '', developmentKey: '' };

async function makeLiveKey(url: string, ownerKey: string): Promise<string> {
  const response = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'live', name: 'live' }),
  });
  if (response.status !== 201) throw new Error(`no live key: ${await response.text()}`);
  return ((await response.json()) as { readonly secret: string }).secret;
}
