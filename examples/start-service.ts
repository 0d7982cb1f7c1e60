/** Starts a service of its own for an example: a child process, a folder that goes away, a workspace with a policy. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ExampleService {
  readonly url: string;
  /** Of a development key. */
  readonly apiKey: string;
  readonly ownerKey: string;
  readonly workspace: string;
  stop(): Promise<void>;
}

const WRITECHECK = join(import.meta.dirname, '../packages/service/src/cli/writecheck.ts');

export async function startService(policyFile: string): Promise<ExampleService> {
  const data = mkdtempSync(join(tmpdir(), 'writecheck-example-'));
  const args = [
    '--conditions=writecheck-source',
    WRITECHECK,
    'serve',
    '--port',
    '0',
    '--data',
    data,
    '--log-level',
    'warn',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const listening = /listens on (\S+)/.exec(said)?.[1];
      if (listening !== undefined) resolve(listening);
    });
    void ended.then(() => reject(new Error(`the service did not start: ${said}`)));
  });

  const { workspace, ownerKey, developmentKey } = await openWorkspace(url);
  await send(`${url}/v1/policies`, 'PUT', readFileSync(policyFile, 'utf8'), {
    authorization: `Bearer ${ownerKey}`,
    'content-type': 'application/yaml',
  });
  return {
    url,
    apiKey: developmentKey,
    ownerKey,
    workspace: workspace.id,
    async stop() {
      child.kill();
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

interface NewWorkspace {
  readonly workspace: { readonly id: string };
  readonly ownerKey: string;
  readonly developmentKey: string;
}

export const openWorkspace = (url: string): Promise<NewWorkspace> =>
  send(`${url}/v1/workspaces`, 'POST', JSON.stringify({ name: 'example' }));

export async function liveKey(url: string, ownerKey: string, name: string, system: string): Promise<string> {
  const asked = JSON.stringify({ kind: 'live', name, allowedSystems: [system] });
  const made = await send<{ secret: string }>(`${url}/v1/keys`, 'POST', asked, {
    authorization: `Bearer ${ownerKey}`,
  });
  return made.secret;
}

async function send<T>(
  url: string,
  method: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(url, {
    method,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${await response.text()}`);
  return (await response.json()) as T;
}
