/** Runs the commands of `docs/the-night-it-goes-wrong.md` as written, in order, against a running service. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Reply } from '../ask.ts';
import { WRITECHECK } from '../writecheck-program.ts';
import { calls, type Stoppable, startOn, WRITE } from './freezes-kit.ts';

const RUNBOOK = new URL('../../../../docs/the-night-it-goes-wrong.md', import.meta.url);
const BLOCKS = [...readFileSync(RUNBOOK, 'utf8').matchAll(/```sh\n([^`]+)```/g)]
  .map(([, block]) => block!)
  // The loop over all pages has several pages.
  .map((block) => (block.includes('CURSOR') ? block.replace('limit=200', 'limit=1') : block));
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
});
afterAll(async () => {
  await stoppable.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The state of an operator's shell: each filled-in line, and the functions. */
const said: string[] = [];
let next = 0;

/** Runs the next block. In a line `NAME=..._...`, the operator fills in an id from the responses. */
async function follow(filledIn: { readonly [name: string]: string } = {}): Promise<string> {
  const block = BLOCKS[next++]!.replaceAll(/^export (\w+)=.*$/gm, (line, name: string) => {
    const value = filledIn[name];
    expect(value, `${line} needs a value`).toBeDefined();
    return `export ${name}='${value}'`;
  });
  const learned = block.match(/^export .*$|^\w+\(\) \{\n(?:.*\n)*?^\}$/gm) ?? [];
  const script = ['set -e', ...said, block].join('\n');
  said.push(...learned);
  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder,
    timeout: 60_000,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
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
const writtenTo = (file: string) => documents(readFileSync(join(folder, file), 'utf8'));
const idsOf = (decisions: readonly { readonly decision_id: string }[]) =>
  decisions.map(({ decision_id }) => decision_id).toSorted();
const FREEZE_ID = /frz_[0-9a-f]{32}/;

test('from the first alert to the lift and the morning after', async () => {
  const taking = () => ({ 'idempotency-key': randomUUID(), redeem: 'agent-1' });
  const written: Reply = await call.check(WRITE, taking());
  // The agent chooses this text, and would like decisions of others in the lists.
  const paused: Reply = await call.check({ ...WRITE, controlEvidence: [] });
  const forged = `{"decision_id":"${paused.body.decision_id}"},{"nextCursor":"1"}`;
  const objectRef = [`ticket ${paused.body.decision_id}`, forged, JSON.stringify(forged), '\\', ''].join(
    '\\c\n',
  );
  const waiting: Reply = await call.check({ ...WRITE, objectRef });
  const elsewhere = { ...WRITE, system: 'erp' };
  const keys = (await call.get('/v1/keys')).body.keys as readonly {
    readonly id: string;
    readonly kind: string;
  }[];
  const agent = keys.find(({ kind }) => kind === 'live')!.id;
  const { url, folder: data } = stoppable.services[0]!;
  const made = await ask(`${url}/v1/keys`, {
    key: stoppable.ownerKey,
    json: { kind: 'live', name: 'another agent' },
  });
  const spelt: Reply = await call.check({ ...WRITE, system: 'CRM', field: 'Email' }, {}, made.body.secret);
  const askedByAnother: Reply = await call.check(WRITE, {}, made.body.secret);
  expect((await call.redeem(askedByAnother)).status).toBe(200);
  const outcomeOf = `${url}/v1/decisions/${askedByAnother.body.decision_id}/outcome`;
  await ask(outcomeOf, { key: stoppable.liveKey, json: { result: 'done' } });
  expect([spelt, paused].map(({ body }) => body.decision)).toEqual(['allow', 'pause']);

  await follow({ URL: url, WRITECHECK_OWNER_KEY: stoppable.ownerKey });
  const [{ freeze: wide }] = documents(await follow());
  expect((await call.check(elsewhere)).body).toMatchObject({ reason_code: 'frozen', reason: wide.reason });
  await follow({ WIDE: wide.id });
  const printed = await follow({ WRITECHECK_DATA: data });
  const byOperator = FREEZE_ID.exec(printed)![0];
  expect((await call.get(`/v1/freezes/${byOperator}`)).body.freeze).toMatchObject({
    createdBy: { kind: 'operator', id: userInfo().username },
    reason: 'the service does not respond',
  });

  const [active, recent, listed] = documents(await follow());
  expect(active.freezes.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [wide.id, byOperator].toSorted(),
  );
  expect(recent.decisions.map(({ keyId }: { keyId: string }) => keyId)).toEqual([
    made.body.key.id,
    made.body.key.id,
    agent,
    agent,
  ]);
  expect(listed.keys.map(({ id }: { id: string }) => id)).toContain(agent);
  const [{ freeze: narrow }] = documents(await follow({ KEY_ID: agent }));
  await follow({ FREEZE: narrow.id });
  const [{ freeze: target }] = documents(await follow());
  await follow({ TARGET_FREEZE: target.id });
  expect([narrow.scope, target.scope]).toEqual([{ keyId: agent }, { system: 'crm', field: 'email' }]);
  const matched = documents(await follow());
  expect(matched.map(({ freeze }) => freeze.id)).toEqual([wide.id, narrow.id, target.id]);
  expect(matched.map(({ allowsBefore }) => [allowsBefore.count, allowsBefore.redeemed])).toEqual([
    [4, 2],
    [2, 1],
    [4, 2],
  ]);
  const [lifted] = documents(await follow());
  expect(lifted.freeze.id).toBe(wide.id);
  expect((await call.redeem(waiting)).status).toBe(409);

  const [stopped, ...reported] = documents(await follow());
  expect(stopped.decisions).toHaveLength(1);
  expect(reported.map(({ decisions }) => decisions)).toEqual([[], [], [], []]);
  expect(await follow()).toBe('');
  const refused = [...said, 'export WRITECHECK_OWNER_KEY=none', 'list decision=allow'].join('\n');
  await expect(run('sh', ['-c', refused])).rejects.toThrow('the list is incomplete: ');
  expect(await follow()).toBe('');
  const allowed = writtenTo('allowed.txt');
  expect(idsOf(allowed)).toEqual(idsOf([written.body, waiting.body]));
  for (const { intent } of allowed) expect(intent.agentValue).toBe(WRITE.agentValue);
  const spellings = await follow({ SINCE: written.body.timestamp });
  expect(spellings.match(/"system".*/g)).toEqual(['"system":"CRM"', '"system":"crm"']);
  expect(idsOf(writtenTo('target.txt'))).toEqual(
    idsOf([written, waiting, spelt, askedByAnother].map(({ body }) => body)),
  );
  await follow();
  const redeemed = writtenTo('redeemed.txt');
  expect(idsOf(redeemed)).toEqual(idsOf([written.body, askedByAnother.body]));
  for (const { redemption } of redeemed) expect(redemption.keyId).toBe(agent);
  const { keyId, outcome } = redeemed.find(({ decision_id: id }) => id === askedByAnother.body.decision_id);
  expect([keyId, outcome.result, outcome.by.id]).toEqual([made.body.key.id, 'done', agent]);
  const [shown, told] = documents(await follow({ DECISION: written.body.decision_id }));
  expect(shown).toMatchObject({ intent: WRITE, redemption: { keyId: agent } });
  expect(told.outcome).toMatchObject({ result: 'done', ref: 'INC-1042', by: { kind: 'owner_key' } });

  const over = documents(await follow());
  expect(over.map(({ freeze }) => [freeze.id, freeze.liftReason])).toEqual([
    [narrow.id, 'the agent is fixed in 4.2'],
    [target.id, 'the agent is fixed in 4.2'],
  ]);
  expect((await call.check(elsewhere)).body.decision).toBe('pause');
  expect(await follow({ OPERATOR_FREEZE: byOperator })).toBe(`${byOperator} is lifted\n`);
  expect((await call.get('/v1/freezes')).body.freezes).toEqual([]);
  expect((await call.check()).body.decision).toBe('allow');
  expect((await call.redeem(waiting)).status).toBe(409);

  const [{ freezes: all }] = documents(await follow());
  const ended = {
    createdAt: expect.any(String),
    liftedAt: expect.any(String),
    liftReason: expect.any(String),
  };
  expect(all).toMatchObject([
    { ...ended, id: target.id, reason: target.reason },
    { ...ended, id: narrow.id, reason: narrow.reason },
    { ...ended, id: byOperator, reason: 'the service does not respond' },
    { ...ended, id: wide.id, reason: wide.reason, liftReason: 'narrowed down to the import agent' },
  ]);
  expect(await follow()).toMatch(/verified/i);
  expect(next).toBe(BLOCKS.length);
}, 120_000);

test('a frozen and revoked key leaves nothing to redeem, and cannot report what it wrote', async () => {
  const { url } = stoppable.services[0]!;
  const asOwner = (path: string, init: object) => ask(`${url}${path}`, { key: stoppable.ownerKey, ...init });
  const { key, secret } = (await asOwner('/v1/keys', { json: { kind: 'live', name: 'stolen' } })).body;
  const [frozen, other] = [await call.check(WRITE, {}, secret), await call.check(WRITE, {}, secret)];
  await asOwner(`/v1/keys/${key.id}`, { method: 'DELETE' });
  // The page warns about this: revoking alone does not stop earlier allows.
  expect((await call.redeem(other)).status).toBe(200);
  expect((await call.freeze({ reason: 'stolen', scope: { keyId: key.id } })).status).toBe(201);
  expect((await call.redeem(frozen)).status).toBe(409);
  const report = await ask(`${url}/v1/decisions/${other.body.decision_id}/outcome`, {
    key: secret,
    json: { result: 'done' },
  });
  expect(report.status).toBe(401);
});
