/** Runs the tutorial as a newcomer would: every command as written, every shown output compared with the real one. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../scripts/free-port.ts';
import { ownerKeyOf } from '../spawn-service.ts';

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');

interface Step {
  readonly commands: string;
  /** What the page shows; `…` stands for anything. */
  readonly shown: string | null;
}

const steps: readonly Step[] = [...page.matchAll(/^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?/gms)].map(
  ([, commands, shown = null]) => ({ commands: commands!, shown }),
);

const folder = mkdtempSync(join(tmpdir(), 'writecheck-tutorial-'));
let service: ChildProcess | null = null;
let port = 0;
/** What the reader pastes in place of the dots. */
const pasted = new Map<string, string>();

beforeAll(async () => {
  port = await freePort();
  // Directly to the checkout's own command, as npm would find it, without the time npm takes to look.
  const entry = join(root, 'packages/cli/bin/writecheck.js');
  const npx = `#!/bin/sh\ncommand=$1\nshift\n[ "$command" = node ] || set -- "${entry}" "$@"\nexec "${process.execPath}" "$@"\n`;
  writeFileSync(join(folder, 'npx'), npx);
  // A checkout has these beside the tutorial's folder.
  for (const name of ['node_modules', 'clients']) symlinkSync(join(root, name), join(folder, name));
  chmodSync(join(folder, 'npx'), 0o755);
});
afterAll(() => {
  service?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('every command of the tutorial does what the page says', { timeout: 300_000 }, async () => {
  const [install, ...rest] = steps;
  expect(install!.commands).toBe('npm ci\nmkdir tutorial && cd tutorial\n');
  await run('mkdir tutorial && cd tutorial');
  for (const { commands, shown } of rest) {
    if (commands.includes('python3') && !hasPython()) {
      console.warn('SKIPPED: the Python program of the tutorial needs python3, version 3.10 or newer');
      continue;
    }
    const output = commands.includes('writecheck serve') ? await serve(commands) : await run(commands);
    for (const line of shown?.trimEnd().split('\n') ?? []) expect(output).toMatch(patternOf(line));
  }
  expect(existsSync(join(folder, 'tutorial'))).toBe(false);
});

test('the tutorial never writes without an allow', () => {
  const guarded = steps.filter(({ commands }) => commands.includes('>> erp.txt'));
  expect(guarded).toHaveLength(2);
  for (const { commands } of guarded) expect(commands).toMatch(/check \S+ && echo/);
  const programs = steps.filter(({ commands }) => /appendFileSync\(|write_text\(/.test(commands));
  expect(programs).toHaveLength(2);
  for (const { commands } of programs) expect(commands).toMatch(/guardWrite\(|guard_write\(/);
});

/** One shell for the whole page would hang on a fault; its folder and variables are carried from block to block instead. */
async function run(commands: string): Promise<string> {
  const state = join(folder, 'state');
  const script = `cd "${folder}"; [ -f "${state}" ] && . "${state}"\n${filledIn(commands)}\n{ export -p; echo "cd '$PWD'"; } > "${state}"`;
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], { env: environment(), timeout: 60_000 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

async function serve(commands: string): Promise<string> {
  const started = spawn('sh', ['-c', `cd "${folder}/tutorial"; exec ${commands}`], {
    env: { ...environment(), WRITECHECK_PORT: String(port) },
  });
  service = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await expect.poll(() => output, { timeout: 60_000 }).toContain('listens on');
  pasted.set('wck_own_...', ownerKeyOf(output));
  for (const beginning of ['wck_dev_', 'ws_']) {
    const found = new RegExp(`\\b${beginning}\\w+`).exec(output)?.[0];
    expect(found, `the service prints what begins with ${beginning}`).toBeDefined();
    pasted.set(`${beginning}...`, found!);
  }
  return output;
}

function hasPython(): boolean {
  const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']);
  return status === 0;
}

function filledIn(commands: string): string {
  let filled = commands.replaceAll(':8080', `:${port}`);
  for (const [dots, value] of pasted) filled = filled.replaceAll(dots, value);
  return filled;
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: `${folder}:${process.env.PATH}`, HOME: folder, NO_COLOR: '1' };
}

function patternOf(line: string): RegExp {
  const parts = line.replaceAll(':8080', `:${port}`).split('…');
  const isLead = (part: string, at: number) => at === 0 && part.trim() === '';
  return new RegExp(
    parts
      .map((part, at) => (isLead(part, at) ? '' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('.*'),
  );
}
