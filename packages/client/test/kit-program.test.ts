/**
 * The kit as a program: the TypeScript client passes it, and wrong drivers do not.
 * @module-tag nightly
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { REVIEW_SCENARIOS, SCENARIOS } from '../kit/index.ts';

const KIT = join(import.meta.dirname, '../bin/writecheck-kit.js');
const place = mkdtempSync(join(tmpdir(), 'writecheck-kit-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Run {
  readonly code: number;
  readonly output: string;
}

function kit(...args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [KIT, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

/** A driver in plain JavaScript that runs `act` on each scenario `s`; `say` sends a message. */
function driver(act: string): readonly string[] {
  const file = join(place, `${crypto.randomUUID()}.mjs`);
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
     const say = (m) => console.log(JSON.stringify(m));
     createInterface({ input: process.stdin }).on('line', async (line) => {
       const s = JSON.parse(line);
       if (s.type !== 'scenario') return;
       ${act}
     });
     say({ type: 'next' });`,
  );
  return [process.execPath, file];
}

const END = "say({ type: 'end', id: s.id }); say({ type: 'next' });";
const QUICK = ['--timeout-ms', '200', '--only', 'a block'];

describe('writecheck-kit', { timeout: 60_000 }, () => {
  it('holds the TypeScript client to the whole list', { timeout: 120_000 }, async () => {
    const report = join(place, 'typescript.json');
    const own = [
      process.execPath,
      '--conditions=writecheck-source',
      join(import.meta.dirname, 'kit-driver.ts'),
    ];
    const { code, output } = await kit('--timeout-ms', '1000', '--report', report, '--', ...own);
    const count = SCENARIOS.length + REVIEW_SCENARIOS.length;
    expect(output).toBe(`PASS  ${count} scenarios, ${count} passed, 0 failed\n`);
    expect(code).toBe(0);
    const { results } = JSON.parse(readFileSync(report, 'utf8'));
    expect(results.map(({ scenario }: { scenario: string }) => scenario)).toEqual(
      [...SCENARIOS, ...REVIEW_SCENARIOS].map(({ name }) => name),
    );
  });

  it('fails a driver that writes whatever the response, and names the scenario', async () => {
    const { code, output } = await kit(...QUICK, '--', ...driver(`say({ type: 'write', id: s.id }); ${END}`));
    expect(output).toContain('FAIL  a block: must not write, wrote 1 times');
    expect(output).toMatch(/^FAIL {2}\d+ scenarios, \d+ passed, \d+ failed$/m);
    expect(code).toBe(1);
  });

  it('fails a driver that never writes', async () => {
    const { code, output } = await kit(
      '--timeout-ms',
      '50',
      '--only',
      'a valid allow by',
      '--',
      ...driver(END),
    );
    expect(output).toContain('must write once, wrote 0 times');
    expect(code).toBe(1);
  });

  it('fails a write that comes after the end', async () => {
    const late = `${END} setTimeout(() => say({ type: 'write', id: s.id }), 100);`;
    expect((await kit(...QUICK, '--', ...driver(late))).code).toBe(1);
  });

  it.each([
    ['ends early', 'process.exit(0)', 'the driver ended before the kit did (exit code 0)'],
    ['prints other lines', `console.log('debug'); ${END}`, 'a line that is not JSON: debug'],
    ['names a scenario it was not given', `say({ type: 'end', id: 999 }); ${END}`, 'it was not given'],
    ['sends an unknown message', `say({ type: 'pass' }); ${END}`, 'a message the kit does not know'],
  ])('fails a driver that %s', async (_name, act, fault) => {
    const { code, output } = await kit(...QUICK, '--', ...driver(act));
    expect(output).toContain(`FAULT `);
    expect(output).toContain(fault);
    expect(code).toBe(1);
  });

  it('fails a driver that does not start, and a selection of no scenario', async () => {
    expect(await kit(...QUICK, '--', join(place, 'none'))).toMatchObject({ code: 1 });
    expect(await kit('--only', 'no such thing', '--', ...driver(END))).toMatchObject({ code: 1 });
  });

  it('does not tell a driver the expected result', async () => {
    const seen = join(place, 'seen.json');
    const act = `(await import('node:fs')).writeFileSync(${JSON.stringify(seen)}, line); ${END}`;
    await kit(...QUICK, '--no-reviews', '--', ...driver(act));
    expect(Object.keys(JSON.parse(readFileSync(seen, 'utf8'))).sort()).toEqual([
      'apiKey',
      'baseUrl',
      'id',
      'review',
      'timeoutMs',
      'type',
      'waitMs',
    ]);
  });

  it('speaks the same protocol over HTTP', async () => {
    const args = [KIT, '--timeout-ms', '500', '--only', 'a valid allow by', '--http', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await expect.poll(() => said).toContain('listens on');
    const url = /listens on (\S+)/.exec(said)![1]!;
    const post = async (path: string, body: object = {}) => {
      const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, ...((await response.json()) as { type: string; id: number }) };
    };
    expect(await post('/write', { id: 999 })).toMatchObject({ status: 404, type: 'error' });
    for (;;) {
      const { type, id } = await post('/next');
      if (type === 'done') break;
      expect(await post('/write', { id })).toMatchObject({ status: 200, type: 'ok' });
      await post('/end', { id });
    }
    expect(await ended).toBe(0);
    expect(said).toMatch(/PASS {2}2 scenarios, 2 passed, 0 failed/);
  });

  it('explains itself, and exits with 2 for a wrong command', async () => {
    expect(await kit('--help')).toMatchObject({ code: 0, output: expect.stringContaining('Exit codes') });
    for (const args of [
      [],
      ['--http', 'x'],
      ['--timeout-ms', '0', '--', 'x'],
      ['--nope'],
      ['--http', '0', '--', 'x'],
    ])
      expect(await kit(...args)).toMatchObject({ code: 2 });
  });
});
