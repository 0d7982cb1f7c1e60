/** The commands of the README end with the npm that runs them: no service is left behind on the port. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../../scripts/free-port.ts';
import { temporaryFolder } from '../spawn-service.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** The console may have to be built first. */
const START_WITHIN_MS = 120_000;

const COMMANDS = [
  { command: ['npm', ['start', '--no-update-notifier']], tags: [] },
  { command: ['npx', ['--no-install', 'writecheck', 'serve']], tags: ['nightly'] },
] as const;

for (const { command, tags } of COMMANDS) {
  const options = { timeout: START_WITHIN_MS + 30_000, tags: [...tags] };
  test(`SIGTERM to \`${command.flat().join(' ')}\` stops the service`, options, () =>
    stopsBySigterm(command),
  );
}

async function stopsBySigterm([program, args]: (typeof COMMANDS)[number]['command']): Promise<void> {
  const { PATH, HOME } = process.env;
  // No other process takes the port once it is free.
  const port = String(await freePort());
  const npm = spawn(program, args, {
    cwd: ROOT,
    env: { PATH, HOME, NO_COLOR: '1', WRITECHECK_PORT: port, WRITECHECK_DATA: temporaryFolder() },
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  await expect.poll(() => output, { timeout: START_WITHIN_MS }).toMatch(/listens on \S+\n/);
  const url = /listens on (\S+)\n/.exec(output)![1]!;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  npm.kill('SIGTERM');
  const isFree = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isFree).toBe(true);
  // Its process is gone too: nobody holds the pipes any more.
  await new Promise((resolve) => npm.once('close', resolve));
}
