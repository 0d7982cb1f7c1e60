/** Starts a separate service for an example: a child process, a temporary folder, a workspace with a policy. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ExampleService {
  readonly url: string;
  /** The secret of a development key. */
  readonly apiKey: string;
  readonly ownerKey: string;
  readonly workspace: string;
  stop(): Promise<void>;
}

const WRITECHECK = join(import.meta.dirname, '../packages/cli/src/writecheck.ts');

export interface Program {
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs a command of `writecheck` that serves, on a free port. */
export async function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Program> {
  const child = spawn(
    process.execPath,
    ['--conditions=writecheck-source', WRITECHECK, ...args, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, WRITECHECK_LOG_LEVEL: 'warn', ...env },
    },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const listening = /listens on (\S+)/.exec(said)?.[1];
      if (listening !== undefined) resolve(listening);
    });
    void ended.then(() => reject(new Error(`\`${args.join(' ')}\` did not start: ${said}`)));
  });
  return {
    url,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** Starts without a policy if `policyFile` is omitted. */
export async function startService(policyFile?: string): Promise<ExampleService> {
  const data = mkdtempSync(join(tmpdir(), 'writecheck-example-'));
  const program = await startProgram(['serve', '--data', data]);
  const { url } = program;
  const { workspace, ownerKey, developmentKey } = await openWorkspace(url);
  if (policyFile !== undefined) await applyPolicy(url, ownerKey, policyFile);
  return {
    url,
    apiKey: developmentKey,
    ownerKey,
    workspace: workspace.id,
    async stop() {
      await program.stop();
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

export function applyPolicy(url: string, ownerKey: string, policyFile: string): Promise<unknown> {
  return send(`${url}/v1/policies`, 'PUT', readFileSync(policyFile, 'utf8'), {
    authorization: `Bearer ${ownerKey}`,
    'content-type': 'application/yaml',
  });
}

/** What a reviewer does in the console, here with the owner key: looks at each open review and approves exactly that write. */
export async function approveAll(url: string, ownerKey: string): Promise<readonly string[]> {
  const authorization = `Bearer ${ownerKey}`;
  const { reviews } = await send<{ reviews: readonly { id: string; intentDigest: string }[] }>(
    `${url}/v1/reviews?state=open`,
    'GET',
    undefined,
    { authorization },
  );
  for (const { id, intentDigest } of reviews) {
    const verdict = JSON.stringify({ verdict: 'approve', intentDigest, comment: 'as in the ticket' });
    await send(`${url}/v1/reviews/${id}/verdicts`, 'POST', verdict, { authorization });
  }
  return reviews.map(({ id }) => id);
}

async function send<T>(
  url: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': 'application/json', ...headers },
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${await response.text()}`);
  return (await response.json()) as T;
}
