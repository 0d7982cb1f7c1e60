import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runWritecheck, spawnWritecheck } from '../../service/test/spawn-service.ts';
import { claimsOf, configFile, control, folder, INTENT, TOKEN, WORKSPACE } from './reader-kit.ts';

new Database(join(folder, 'commands.db'))
  .exec("create table invoice (id text, total real); insert into invoice values ('I-1', 10)")
  .close();
const sql = (query: string) => control({ sql: { url: 'sqlite:commands.db', query, key: 'id' } });
const file = configFile({ invoice: sql('select * from invoice where id = :objectRef') });
const env = { AGENT_TOKEN: TOKEN };
const intentFile = join(folder, 'intent.json');
writeFileSync(intentFile, JSON.stringify(INTENT));

test('`facts serve` listens on loopback, logs in lines of JSON, and drains on SIGTERM', async () => {
  const reader = spawnWritecheck(['facts', 'serve', file, '--port', '0'], env);
  const url = await reader.listening;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const response = await fetch(`${url}/facts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(INTENT),
  });
  const { controlEvidence } = await response.json();
  expect(claimsOf(controlEvidence[0])).toMatchObject({ aud: WORKSPACE, facts: { id: 'I-1', total: 10 } });
  reader.child.kill('SIGTERM');
  const { code, stderr } = await reader.finished;
  expect(code).toBe(0);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', control: 'invoice', msg: 'read' }));
});

test('`facts serve` does not start with an invalid configuration or setting, and says what to do', async () => {
  const wrong = await runWritecheck(['facts', 'serve', configFile({}, { more: 1 })], env);
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toContain('  - /more: is unknown; remove it');
  const port = await runWritecheck(['facts', 'serve', file], { ...env, WRITECHECK_FACTS_PORT: 'x' });
  expect(port.stderr).toContain('WRITECHECK_FACTS_PORT is `x`: must be a whole number');
});

test('`facts check` reads and prints, and signs nothing', async () => {
  const { code, stdout } = await runWritecheck(['facts', 'check', file, '--intent', intentFile], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    invoice: { checkedAt: expect.stringMatching(/Z$/), facts: { id: 'I-1', total: 10 } },
  });
  const other = JSON.stringify({ ...INTENT, objectRef: 'I-2' });
  const failed = await runWritecheck(['facts', 'check', file, '--intent', '-'], env, other);
  expect([failed.code, failed.stderr]).toEqual([1, '`invoice` could not be read: there is no row\n']);
});

test('`evidence sign --facts` signs the content of a file', async () => {
  const facts = join(folder, 'facts.json');
  writeFileSync(facts, '{"cabin":"business"}');
  const args = ['--key', join(folder, 'erp.jwk'), '--source', 'erp-reader', '--workspace', WORKSPACE];
  const sign = () =>
    runWritecheck(['evidence', 'sign', intentFile, ...args, '--control', 'invoice', '--facts', facts]);
  args.push('--expires-in', '1.5h');
  const { stdout } = await sign();
  expect(claimsOf(JSON.parse(stdout))).toMatchObject({ controlId: 'invoice', facts: { cabin: 'business' } });
  const { exp, checkedAt } = claimsOf(JSON.parse(stdout));
  expect(Number(exp) - Date.parse(String(checkedAt)) / 1_000).toBeGreaterThan(3_600);
  writeFileSync(facts, '["business"]');
  expect(await sign()).toMatchObject({ code: 1, stderr: '`facts` must be a JSON object\n' });
});
