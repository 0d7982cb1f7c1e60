/** The whole command: what it refuses and with which exit code, and what its output escapes. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { exportOf, type MadeDecision } from '../../test/export-kit.ts';
import { type ReconcileOptions, reconcileCommand } from './command.ts';

const T = Date.UTC(2026, 10, 15, 21);
const TARGET = { objectType: 'vendor', objectRef: 'V-1', field: 'terms' };
const ALLOW: MadeDecision = {
  ...{ id: 'dec_1', atMs: T },
  intent: { system: 'erp', ...TARGET, agentValue: 'NET30' },
};
const CHANGE = { time: new Date(T).toISOString(), ...TARGET, newValue: 'NET30', actor: 'svc' };
const BYPASS = { ...CHANGE, objectRef: 'V-2' };
const USUAL = { system: 'erp', window: '15m', skew: '5s', json: true };

let desk: string;
let printed: string;
const file = (name: string) => join(desk, name);

beforeEach(() => {
  desk = mkdtempSync(join(tmpdir(), 'writecheck-reconcile-test-'));
  writeFileSync(file('log.ndjson'), `${exportOf([ALLOW], 2).join('\n')}\n`);
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

/** The exit code; `printed` holds the output. */
async function run(
  changes: readonly object[] | string,
  options: Partial<ReconcileOptions> = {},
): Promise<number> {
  const text =
    typeof changes === 'string' ? changes : changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  writeFileSync(file('changes'), text);
  printed = '';
  process.exitCode = 0;
  const source = 'service' in options ? {} : { export: file('log.ndjson') };
  await reconcileCommand(file('changes'), { ...USUAL, ...source, ...options });
  return Number(process.exitCode);
}

test('each exit code stands for its case', async () => {
  expect(await run([CHANGE])).toBe(0);
  expect(await run([CHANGE, BYPASS])).toBe(5);
  expect(await run([CHANGE, { ...CHANGE, time: '2026-11-15T21:00:02' }])).toBe(2);
  expect(await run([BYPASS, { ...CHANGE, time: '2026-11-15T21:00:02' }])).toBe(5);
  const header = 'time,objectType,objectRef,field,newValue\n';
  expect(await run(header)).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ from: null, to: null, notCarriedOut: 0, findings: [] });
});

test('the report has every member of its version, in order', async () => {
  await run([CHANGE, { ...BYPASS, actor: undefined }, { ...CHANGE, time: 'soon' }], {
    window: '2h',
    skew: '0.5s',
  });
  const { classes, ...rest } = JSON.parse(printed);
  expect(Object.keys(classes)).toEqual([
    ...['redeemed', 'allowed', 'observed', 'development', 'late'],
    ...['after_block', 'after_pause', 'other_value', 'nobody_asked'],
  ]);
  expect(Object.entries(rest)).toEqual(
    Object.entries({
      version: 'writecheck.reconcile.v1',
      system: 'erp',
      windowSeconds: 7_200,
      skewSeconds: 0.5,
      from: CHANGE.time,
      to: CHANGE.time,
      decisions: { read: 1, hidden: 2 },
      changes: { read: 2, unreadable: 1 },
      notCarriedOut: 0,
      outcomes: { doneNotFound: 0, failedButFound: 0 },
      byActor: [
        { actor: '', classes: { nobody_asked: 1 } },
        { actor: 'svc', classes: { allowed: 1 } },
      ],
      byField: [{ objectType: 'vendor', field: 'terms', classes: { allowed: 1, nobody_asked: 1 } }],
      findings: [
        {
          ...{ line: 2, class: 'nobody_asked', time: CHANGE.time, ...TARGET, objectRef: 'V-2', actor: '' },
          decision_id: null,
        },
      ],
      findingsLeftOut: 0,
      outcomeFindings: [],
      allowsNotCarriedOut: [],
      unreadable: [{ line: 3, message: '`time` is not an RFC 3339 date-time' }],
    }),
  );
});

test('an export with anything missing, doubled or unreadable is refused', async () => {
  const lines = exportOf([ALLOW, { ...ALLOW, id: 'dec_2' }]);
  const [header, one, two, trailer] = lines as readonly [string, string, string, string];
  const unreadable = one.replace(/"leaf":"[^"]*"/, '"leaf":"e30="');
  const { record: _left, ...bare } = JSON.parse(one);
  for (const cut of [
    [],
    [header],
    [header, one, two],
    [header, one, trailer],
    [header, one, two, two, trailer],
    [one, two, trailer],
    [header, header, one, trailer],
    [header, one, two, trailer, trailer],
    [header, one, two, trailer.slice(0, -2)],
    [header, unreadable, two, trailer],
    [header, JSON.stringify(bare), two, trailer],
  ]) {
    writeFileSync(file('cut.ndjson'), cut.join('\n'));
    await expect(run([CHANGE], { export: file('cut.ndjson') })).rejects.toMatchObject({ exitCode: 2 });
    expect(printed).toBe('');
  }
});

test('wrong arguments exit with 1, unreadable input with 2', async () => {
  vi.stubEnv('WRITECHECK_OWNER_KEY', undefined);
  const service = 'http://127.0.0.1:1';
  for (const [options, exitCode] of [
    [{ export: file('log.ndjson'), service }, 1],
    [{ service }, 1],
    [{ service: 'not a url', key: 'x' }, 1],
    [{ service: 'file:///etc/passwd', key: 'x' }, 1],
    [{ window: '15' }, 1],
    [{ skew: '-5s' }, 1],
    [{ system: '' }, 1],
    [{ service, key: 'x' }, 2],
    [{ export: file('none.ndjson') }, 2],
    [{ export: desk }, 2],
    [{ columns: file('none.yaml') }, 2],
  ] as const) {
    await expect(run([CHANGE], options), JSON.stringify(options)).rejects.toMatchObject({ exitCode });
  }
  const options = { ...USUAL, export: file('log.ndjson') };
  await expect(reconcileCommand(file('none.csv'), options)).rejects.toMatchObject({ exitCode: 2 });
  await expect(reconcileCommand(file('changes'), USUAL)).rejects.toMatchObject({ exitCode: 1 });
  vi.unstubAllEnvs();
});

const HOSTILE = 'V\u001b[2J\u202e<&">\u009b\u200b\u2028x';

test('hostile characters come out escaped, as text, JSON and XML', async () => {
  const change = { ...BYPASS, objectRef: HOSTILE, objectType: HOSTILE, field: HOSTILE, actor: HOSTILE };
  const controls = /(?!\n)[\p{C}\u2028\u202e\u200b]/u;
  await run([change], { json: false });
  expect(printed).toContain('V\\u{1b}[2J\\u{202e}<&">\\u{9b}\\u{200b}\\u{2028}x');
  expect(printed).not.toMatch(controls);
  await run([change], { junit: file('junit.xml') });
  expect(printed).not.toMatch(controls);
  expect(JSON.parse(printed).findings[0]).toMatchObject({ objectRef: HOSTILE, actor: HOSTILE });
  const xml = readFileSync(file('junit.xml'), 'utf8');
  expect(xml).not.toMatch(controls);
  expect(xml).toContain('V\\u{1b}[2J\\u{202e}&lt;&amp;&quot;&gt;');
});

test('JUnit has a failing case for each bypass and an error for each unreadable line', async () => {
  const late = { ...CHANGE, time: new Date(T + 3_600_000).toISOString() };
  expect(await run([late, BYPASS, { ...CHANGE, time: 'soon' }], { junit: file('junit.xml') })).toBe(5);
  const xml = readFileSync(file('junit.xml'), 'utf8');
  expect(xml).toContain('<testsuite name="writecheck reconcile erp" tests="4" failures="1" errors="1">');
  expect(xml.match(/<testcase [^>]*name="line 1 [^>]*late[^>]*\/>/)).not.toBeNull();
  expect(xml.match(/<failure message="nobody_asked">line 2 /)).not.toBeNull();
  expect(xml).toContain('<error message="`time` is not an RFC 3339 date-time"/>');
  const nowhere = run([BYPASS], { junit: join(desk, 'none', 'junit.xml') });
  await expect(nowhere).rejects.toMatchObject({ exitCode: 5 });
  await expect(run([CHANGE], { junit: join(desk, 'none', 'junit.xml') })).rejects.toMatchObject({
    exitCode: 1,
  });
});

test('the first 1,000 findings are listed by time, the others counted', async () => {
  const changes = Array.from({ length: 2_500 }, (_, i) => ({
    ...BYPASS,
    // Later lines are earlier.
    time: new Date(T - i * 1_000).toISOString(),
  }));
  await run(changes, { junit: file('junit.xml') });
  const { findings, findingsLeftOut, classes } = JSON.parse(printed);
  expect([findings.length, findingsLeftOut, classes.nobody_asked]).toEqual([1_000, 1_500, 2_500]);
  expect([findings[0].line, findings.at(-1).line]).toEqual([2_500, 1_501]);
  expect(readFileSync(file('junit.xml'), 'utf8')).toContain('name="1500 more"');
});
