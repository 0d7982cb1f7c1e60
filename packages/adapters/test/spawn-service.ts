/** A separate service for a test: a child process with a temporary folder. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WRITECHECK } from '../../service/test/writecheck-program.ts';

export interface RunningService {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startService(): Promise<RunningService> {
  const data = mkdtempSync(join(tmpdir(), 'writecheck-service-'));
  const options = ['serve', '--port', '0', '--data', data, '--log-level', 'warn'];
  const child = spawn(process.execPath, [...WRITECHECK, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
  return {
    url,
    async stop() {
      child.kill();
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
