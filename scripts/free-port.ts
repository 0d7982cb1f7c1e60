/**
 * A port for a server that cannot choose its own: no other test of this run gets it, and no process that asks
 * for any free port.
 */
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the range that a system gives to processes that ask for any port: 32,768 and up on Linux, 49,152 and up
 * elsewhere.
 */
const [FIRST, END] = [20_000, 32_000];

const taken: string[] = [];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST));
    if (take(port) && (await isFree(port))) return port;
  }
}

/** Making a folder succeeds for one process only. */
function take(port: number): boolean {
  const folder = join(tmpdir(), `writecheck-port-${port}`);
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  if (taken.length === 0) process.once('exit', giveBack);
  taken.push(folder);
  return true;
}

function giveBack(): void {
  for (const folder of taken) rmSync(folder, { recursive: true, force: true });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
