/** Starts a driver as a child process and talks to it in lines of JSON over its stdin and stdout. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { KitSession } from './kit-session.ts';

const LINE_SHOWN_MAX = 200;
const EXIT_MS_MAX = 5000;

export interface Driver {
  /** Resolves when the driver is gone. */
  close(): Promise<void>;
}

export function startStdioDriver(command: readonly string[], session: KitSession): Driver {
  const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  let isClosing = false;
  const exited = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      session.fail(`the driver did not start: ${message}`);
      resolve();
    });
    child.once('close', (code, signal) => {
      if (!isClosing) session.fail(`the driver ended before the kit did (${signal ?? `exit code ${code}`})`);
      else if (code !== 0) session.fail(`the driver ended with ${signal ?? `exit code ${code}`}`);
      resolve();
    });
  });
  // A driver that is gone cannot read; its exit says so.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const fault = hear(line, session, (message) => void child.stdin.write(`${JSON.stringify(message)}\n`));
    if (fault !== undefined) session.fail(fault);
  });
  return {
    async close() {
      isClosing = true;
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_MS_MAX);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The error of the line, if any. */
function hear(line: string, session: KitSession, reply: (message: object) => void): string | undefined {
  const shown = line.slice(0, LINE_SHOWN_MAX);
  let message: { readonly type?: unknown; readonly id?: unknown; readonly stopped?: unknown } | null;
  try {
    message = JSON.parse(line);
  } catch {
    return `the driver printed a line that is not JSON: ${shown}`;
  }
  switch (message?.type) {
    case 'next':
      void session.next().then(reply);
      return undefined;
    case 'write':
      return session.wrote(message.id) ? undefined : `the driver names a scenario it was not given: ${shown}`;
    case 'end':
      return session.ended(message.id, message.stopped)
        ? undefined
        : `the driver names a scenario it was not given: ${shown}`;
    default:
      return `the driver printed a message the kit does not know: ${shown}`;
  }
}
