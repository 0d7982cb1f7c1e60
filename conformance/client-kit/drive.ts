/** Runs scenarios in a client of another language: a program that guards one write for each line of JSON it reads. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Guard, GuardSetting } from './run-fail-closed-kit.ts';

export interface DrivenClient {
  /** `review`: whether the client opens a review on a pause and waits for it. */
  guard(setting: GuardSetting, review: boolean): Guard;
  /** Resolves with the exit code when the program is gone; it ends with its stdin. */
  close(): Promise<number | null>;
}

/** The program prints `{type: 'write', id}` when a write runs, and `{type: 'end', id, stopped}` when the client returns. */
export function driveClient(command: string, args: readonly string[], env: NodeJS.ProcessEnv): DrivenClient {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const runs: { readonly write: () => Promise<void>; readonly end: (outcome: object) => void }[] = [];
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A program that is gone cannot read; every later scenario then ends without a write.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { type, id, stopped } = JSON.parse(line);
    // A write after the end counts too: the kit looks for exactly this.
    if (type === 'write') void runs[id]!.write();
    else runs[id]!.end({ stopped });
  });
  return {
    guard: (setting, review) => (write) =>
      new Promise<object>((end) => {
        child.stdin.write(`${JSON.stringify({ id: runs.length, review, ...setting })}\n`);
        runs.push({ write, end });
      }),
    close() {
      child.stdin.end();
      return closed;
    },
  };
}
