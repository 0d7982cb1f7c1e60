import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { runWritecheck, spawnWritecheck } from '../../service/test/spawn-service.ts';
import { claimsOf, configFile, control, folder, INTENT, TOKEN, WORKSPACE } from './reader-kit.ts';

const program = `process.stdin.resume(); console.log('{"id":"I-1","total":10}')`;
const file = configFile({ invoice: control({ command: [process.execPath, '-e', program], key: '/id' }) });
const env = { AGENT_TOKEN: TOKEN };
const intentFile = join(folder, 'intent.json');
writeFileSync(intentFile, JSON.stringify(INTENT));

test('`facts serve` listens on loopback, counts reads, logs in lines of JSON, and drains on SIGTERM', async () => {
  const metricsPort = await freePort();
  const reader = spawnWritecheck(['facts', 'serve', file, '--port', '0'], {
    ...env,
    WRITECHECK_METRICS_PORT: String(metricsPort),
  });
  const url = await reader.listening;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const response = await fetch(`${url}/facts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(INTENT),
  });
  const { controlEvidence } = await response.json();
  expect(claimsOf(controlEvidence[0])).toMatchObject({ aud: WORKSPACE, facts: { id: 'I-1', total: 10 } });
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('writecheck_facts_reads_total{control="invoice",outcome="read"} 1');
  reader.child.kill('SIGTERM');
  const { code, stderr } = await reader.finished;
  expect(code).toBe(0);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', control: 'invoice', msg: 'read' }));
});

test('a running command ends with the reader, even if nobody waits for it', async () => {
  const pidFile = join(folder, 'pid');
  const lingering = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
  const own = configFile({ a: control({ command: [process.execPath, '-e', lingering], key: '/id' }) });
  const check = spawnWritecheck(['facts', 'check', own, '--intent', intentFile], env);
  await expect
    .poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), { timeout: 20_000 })
    .toMatch(/\d/);
  check.child.kill('SIGINT');
  await check.finished;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
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
  expect([failed.code, failed.stderr]).toEqual([
    1,
    '`invoice` could not be read: it returned no `key`, or the record of another object\n',
  ]);
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

/** A process that has not been reaped yet counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
