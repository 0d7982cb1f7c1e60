import { afterAll, expect, test } from 'vitest';
import { PolicyJobs } from './policy-jobs.ts';

const WORKSPACE = 'ws_1';
const jobs = new PolicyJobs();
afterAll(() => jobs.close());

const yaml = (...texts: readonly string[]) =>
  ({
    kind: 'yaml',
    files: texts.map((text, at) => ({ file: `${at}.yaml`, bytes: Buffer.from(text) })),
  }) as const;

test('a bundle comes back as the text its digest is made of', async () => {
  const examined = await jobs.examine(yaml('kind: Profile\nid: b\n', 'id: a\nkind: Profile\n'), WORKSPACE);
  if (examined.kind !== 'good') throw new Error('it has no faults');
  expect(examined.text).toBe('[{"id":"a","kind":"Profile"},{"id":"b","kind":"Profile"}]');
  expect(await jobs.load(examined.text, examined.digest, WORKSPACE)).toEqual([examined.text]);
  expect(await jobs.load(examined.text, 'sha256:other', WORKSPACE)).toBeNull();
});

test('an error is reported with file, line and column, whichever file it is in', async () => {
  const examined = await jobs.examine(
    yaml('kind: Profile\nid: a\n', 'kind: Profile\nid: b\n---\nkind: Profile\nid: c\nwhen: "1 +"\n'),
    WORKSPACE,
  );
  expect(examined).toEqual({
    kind: 'invalid',
    details: [
      {
        pointer: '/documents/2/when',
        message: expect.stringContaining('(column 4 of the condition)'),
        file: '1.yaml',
        line: 6,
        column: 7,
      },
    ],
  });
});

test('a failing test is reported at its place in the file', async () => {
  const examined = await jobs.examine(
    yaml(
      `kind: PolicyTest
id: t
intent: { system: crm, operation: x }
now: 2026-11-15T12:00:00Z
expect: { decision: allow }
---
kind: Profile
id: a
`
        .replace('now: 2026', 'now: "2026')
        .replace('00Z', '00Z"'),
    ),
    WORKSPACE,
  );
  expect(examined).toMatchObject({
    kind: 'invalid',
    details: [{ file: '0.yaml', line: 5, message: 'test `t`: expected `allow`, found `pause`' }],
  });
});

test('a text made to be slow is abandoned; the event loop continues meanwhile, and so does the next job', async () => {
  const impatient = new PolicyJobs(300);
  let longestMs = 0;
  let beforeMs = performance.now();
  const ticking = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - beforeMs);
    beforeMs = performance.now();
  }, 5);
  const slow = await impatient.examine(yaml(`${'['.repeat(1_000)}${'a,'.repeat(500_000)}`), WORKSPACE);
  clearInterval(ticking);
  await impatient.close();
  expect(slow).toMatchObject({
    kind: 'invalid',
    details: [{ message: expect.stringContaining('timed out') }],
  });
  expect(longestMs).toBeLessThan(1_000);
  expect((await jobs.examine(yaml('kind: Profile\nid: a\n'), WORKSPACE)).kind).toBe('good');
});

test('an intent of another workspace is never shown as an example', async () => {
  const profile = '[{"id":"a","kind":"Profile","require":["approval"]}]';
  const intent = {
    system: 'secret',
    operation: 'x',
    metadata: { workspace: WORKSPACE },
    controlEvidence: [{ controlId: 'approval', source: 's', result: 'FAIL' }],
    requiredControls: ['other'],
  };
  const decision = { decision: 'block', reasonCode: 'CONTROL_FAILED' };
  const record = (workspace: string) =>
    Buffer.from(
      JSON.stringify({ workspace, timestamp: '2026-11-15T12:00:00Z', facts: [], decision, intent }),
    );
  const compare = (workspace: string) =>
    jobs.compare(
      profile,
      '[]',
      { workspace: WORKSPACE, records: [record(workspace)] },
      Date.now(),
      WORKSPACE,
    );
  expect(JSON.stringify(await compare(WORKSPACE))).toContain('secret');
  expect(JSON.stringify(await compare('ws_2'))).not.toContain('secret');
});

test('a failed comparison returns nothing, so that nobody takes it for a yes', async () => {
  expect(await jobs.compare('not JSON', '[]', null, Date.now(), WORKSPACE)).toBeNull();
});

test('bundles beyond the queue limit are refused, and those of another workspace are not', async () => {
  const bundle = yaml('kind: Profile\nid: a\n');
  const replies = await Promise.all([
    ...Array.from({ length: 20 }, () => jobs.examine(bundle, 'ws_greedy')),
    jobs.examine(bundle, 'ws_modest'),
  ]);
  expect(replies.filter(({ kind }) => kind === 'busy')).toHaveLength(4);
  expect(replies.at(-1)!.kind).toBe('good');
  expect((await jobs.examine(bundle, 'ws_greedy')).kind).toBe('good');
});
