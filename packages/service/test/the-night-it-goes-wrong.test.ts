/** Runs the commands of `docs/the-night-it-goes-wrong.md` as they stand, in order, against a running service. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from './ask.ts';
import { calls, type Stoppable, startOn, WRITE } from './freezes-kit.ts';
import { WRITECHECK } from './writecheck-program.ts';

const RUNBOOK = new URL('../../../docs/the-night-it-goes-wrong.md', import.meta.url);
const BLOCKS = [...readFileSync(RUNBOOK, 'utf8').matchAll(/```sh\n([^`]+)```/g)].map(([, block]) => block!);
const run = promisify(execFile);

let stoppable: Stoppable;
let call: ReturnType<typeof calls>;
let folder: string;
beforeAll(async () => {
  stoppable = await startOn('SQLite');
  call = calls(stoppable);
  folder = mkdtempSync(join(tmpdir(), 'writecheck-night-'));
  const command = join(folder, 'writecheck');
  writeFileSync(
    command,
    `#!/bin/sh\nexec '${process.execPath}' ${WRITECHECK.map((part) => `'${part}'`).join(' ')} "$@"\n`,
  );
  chmodSync(command, 0o755);
}, 60_000);
afterAll(async () => {
  await stoppable.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What an operator's shell has learned so far: each line that was filled in, and the function of the first block. */
const said: string[] = [];
let next = 0;

/** Runs the next block; where it says `NAME=..._...`, the operator fills in what the responses showed. */
async function follow(filledIn: { readonly [name: string]: string } = {}): Promise<string> {
  const block = BLOCKS[next++]!.replaceAll(/^export (\w+)=.*$/gm, (line, name: string) => {
    const value = filledIn[name];
    expect(value, `${line} needs a value`).toBeDefined();
    return `export ${name}='${value}'`;
  });
  const learned = block.match(/^export .*$|^ask\(\) \{[^}]*\{[^}]*\}[^}]*\}$/gm) ?? [];
  const script = ['set -e', ...said, block].join('\n');
  said.push(...learned);
  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder,
    timeout: 60_000,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      WRITECHECK_DATA: stoppable.services[0]!.folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
  });
  return stdout;
}

/** The responses, each with its status below it. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
function documents(out: string): any[] {
  const lines = out.trim().split('\n');
  expect(lines.filter((line) => !/^(\{.*\}|20[01])$/.test(line))).toEqual([]);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}
const FREEZE_ID = /frz_[0-9a-f]{32}/;

test('from the first alert to the lift and the morning after', async () => {
  const taking = () => ({ 'idempotency-key': randomUUID(), redeem: 'agent-1' });
  const written: Reply = await call.check(WRITE, taking());
  const waiting: Reply = await call.check();
  const elsewhere = { ...WRITE, system: 'erp' };

  await follow({ URL: stoppable.services[0]!.url, WRITECHECK_OWNER_KEY: stoppable.ownerKey });
  const [{ freeze: wide }] = documents(await follow());
  expect((await call.check(elsewhere)).body).toMatchObject({ reason_code: 'frozen', reason: wide.reason });
  await follow({ FREEZE: wide.id });
  const printed = await follow();
  const byOperator = FREEZE_ID.exec(printed)![0];
  expect((await call.get(`/v1/freezes/${byOperator}`)).body.freeze).toMatchObject({
    createdBy: { kind: 'operator', id: userInfo().username },
    reason: 'the service does not respond',
  });

  const [active, recent] = documents(await follow());
  expect(active.freezes.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [wide.id, byOperator].toSorted(),
  );
  expect(recent.decisions.length).toBeGreaterThanOrEqual(2);
  const [{ freeze: narrow }, lifted] = documents(await follow());
  expect([narrow.scope, lifted.freeze.id]).toEqual([{ system: 'crm' }, wide.id]);
  await follow({ FREEZE: narrow.id });

  const [{ allowsBefore }] = documents(await follow());
  expect(allowsBefore).toEqual({ count: 2, redeemed: 1 });
  expect((await call.redeem(waiting)).status).toBe(409);

  const [stopped, unknown, missing, done] = documents(await follow());
  expect(stopped.decisions).toHaveLength(1);
  expect([unknown.decisions, missing.decisions, done.decisions]).toEqual([[], [], []]);
  const [told] = documents(await follow({ DECISION: written.body.decision_id }));
  expect(told.outcome).toMatchObject({ result: 'done', ref: 'INC-1042', by: { kind: 'owner_key' } });

  const [over] = documents(await follow());
  expect([over.freeze.id, over.freeze.liftReason]).toEqual([narrow.id, 'the agent is fixed in 4.2']);
  expect((await call.check(elsewhere)).body.decision).toBe('pause');
  expect(await follow({ FREEZE: byOperator })).toBe(`${byOperator} is lifted\n`);
  expect((await call.get('/v1/freezes')).body.freezes).toEqual([]);
  expect((await call.check()).body.decision).toBe('allow');
  expect((await call.redeem(waiting)).status).toBe(409);

  const report = await follow();
  for (const id of [wide.id, narrow.id, byOperator]) expect(report.split(id).length).toBeGreaterThan(2);
  expect(report).toMatch(/verified/i);
  expect(next).toBe(BLOCKS.length);
}, 120_000);
