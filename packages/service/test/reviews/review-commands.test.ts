/** `writecheck reviews`: the whole write on the screen, a typed approval, and nothing approved unseen. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callWritecheck } from '../call-writecheck.ts';
import { openReviewKit, type ReviewKit } from './reviews-kit.ts';

let kit: ReviewKit;
beforeAll(async () => {
  kit = await openReviewKit({ metricsPort: '0' });
});
afterAll(() => kit.service.stop());

const reviews = (args: readonly string[], input?: string) =>
  callWritecheck(
    ['reviews', ...args],
    { WRITECHECK_URL: kit.service.url, WRITECHECK_OWNER_KEY: kit.service.ownerKey },
    input,
  );

test('list and show: every member of the write, with hidden characters made visible', async () => {
  const { review } = await kit.opened({
    agentValue: 'DE89\u202e 3704\u200b',
    operation: 'vendor.update',
    workflowId: 'onboarding',
    requiredControls: ['approval'],
    metadata: { context: { note: 'a\u2066b' } },
    runId: 'run-7',
  });
  const list = await reviews(['list', '--state', 'open']);
  expect(list.stdout).toContain(review.id);
  const { code, stdout } = await reviews(['show', review.id]);
  expect(code).toBe(0);
  for (const shown of [
    'DE89\\u{202e} 3704\\u{200b}',
    'vendor.update',
    'onboarding',
    'a\\u{2066}b',
    'run-7',
  ]) {
    expect(stdout).toContain(shown);
  }
  expect(stdout).toContain(review.intentDigest);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u200b\u202e\u2066]/);
  expect(stdout.indexOf('run-7')).toBeGreaterThan(stdout.indexOf('not part of what you approve'));
  const json = await reviews(['show', review.id, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ id: review.id, state: 'open' });
});

test('show marks lookalike letters, and text that long runs of spaces would push away', async () => {
  const { review } = await kit.opened({ objectRef: 'p\u0430ypal', agentValue: `DE89${' '.repeat(900)}tail` });
  const { stdout } = await reviews(['show', review.id]);
  expect(stdout).toContain('p\\u{430}ypal');
  expect(stdout).toContain('DE89\\u{20}*900tail');
});

test('approve asks, and does nothing unless the word is typed', async () => {
  const { review } = await kit.opened();
  for (const typed of ['', 'y\n', 'Approve\n']) {
    const { code, stderr } = await reviews(['approve', review.id], typed);
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing was decided')]);
  }
  expect((await kit.read(review.id)).state).toBe('open');
  const { code, stdout } = await reviews(['approve', review.id, '--comment', 'checked'], 'approve\n');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${review.id} is approved`)]);
  expect((await kit.read(review.id)).verdicts).toMatchObject([{ comment: 'checked' }]);
});

test('--yes needs the digest of the write', async () => {
  const { review } = await kit.opened();
  expect(await reviews(['approve', review.id, '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--digest'),
  });
  const other = `sha256:${'0'.repeat(64)}`;
  expect((await reviews(['approve', review.id, '--yes', '--digest', other])).code).toBe(1);
  expect((await kit.read(review.id)).state).toBe('open');
  expect((await reviews(['approve', review.id, '--yes', '--digest', review.intentDigest])).code).toBe(0);
});

test('reject needs a comment, cancel takes a reason, and refusals are explained', async () => {
  const first = await kit.opened();
  expect((await reviews(['reject', first.review.id])).code).not.toBe(0);
  expect((await reviews(['reject', first.review.id, '--yes', '--comment', 'wrong vendor'])).stdout).toContain(
    'is rejected',
  );
  const again = await reviews(['reject', first.review.id, '--yes', '--comment', 'x']);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('review_closed')]);
  const second = await kit.opened();
  expect((await reviews(['cancel', second.review.id, '--yes', '--reason', 'a mistake'])).stdout).toContain(
    'is cancelled',
  );
  expect(await kit.read(second.review.id)).toMatchObject({ comments: [{ text: 'a mistake' }] });
});

test('`writecheck check` says how to open a review', async () => {
  const { intent } = await kit.pause();
  const { code, stdout } = await callWritecheck(
    ['check', '-'],
    { WRITECHECK_URL: kit.service.url, WRITECHECK_API_KEY: kit.service.developmentKey },
    JSON.stringify(intent),
  );
  expect(code).toBe(10);
  const shown = /-d '(\{"decision_id":"dec_[0-9a-f]{32}"\})'/.exec(stdout)?.[1];
  const opened = await kit.call('POST', '/v1/reviews', kit.service.developmentKey, JSON.parse(shown!));
  expect(opened.status).toBe(201);
});

test('metrics show how many reviews are open, how old the oldest is, and what was decided', async () => {
  const response = await fetch(`${kit.service.metricsUrl}/metrics`);
  const text = await response.text();
  expect(text).toMatch(/writecheck_reviews_open [1-9]/);
  expect(text).toMatch(/writecheck_review_oldest_open_seconds \d/);
  expect(text).toMatch(/writecheck_review_verdicts_total\{verdict="approve"\} 2/);
});
