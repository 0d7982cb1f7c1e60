/** Slack messages keep within Block Kit's limits and show other people's text as text. */
import { WEBHOOK_EVENTS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { cut } from './events.ts';
import { SLACK_LIMITS, slackMessage } from './slack.ts';

const target = (text: string) => ({
  ...{ system: cut(text), objectType: cut(text), objectRef: cut(text), field: cut(text) },
  operation: cut(text),
});

const full = (text: string) => ({
  workspace: 'ws_1',
  decisionId: 'dec_1',
  reviewId: 'rev_1',
  reasonCode: 'CONTROL_EVIDENCE_MISSING',
  controls: [cut(text), cut(text)],
  expiresAt: '2026-11-16T00:00:00.000Z',
  revision: 3,
  loosened: true,
  keyId: 'key_1',
  personId: 'per_1',
  by: { kind: 'operator', id: cut(text) },
  target: target(text),
  url: 'https://writecheck.example.com/reviews/rev_1',
});

interface Text {
  readonly type: string;
  readonly text: string;
}
interface Block {
  readonly type: string;
  readonly text?: Text;
  readonly fields?: readonly Text[];
  readonly elements?: readonly (Text & { readonly text: Text | string; readonly url?: string })[];
}

const holdsLimits = (type: string, text: string): void => {
  const message = slackMessage(type, full(text));
  const blocks = message.blocks as readonly Block[];
  expect(blocks.length).toBeLessThanOrEqual(SLACK_LIMITS.blocks);
  for (const block of blocks) {
    if (block.type === 'header') expect(block.text!.text.length).toBeLessThanOrEqual(SLACK_LIMITS.headerText);
    expect(block.fields?.length ?? 0).toBeLessThanOrEqual(SLACK_LIMITS.fields);
    for (const field of block.fields ?? []) {
      expect(field.type).toBe('plain_text');
      expect(field.text.length).toBeGreaterThan(0);
      expect(field.text.length).toBeLessThanOrEqual(SLACK_LIMITS.fieldText);
    }
    for (const element of block.elements ?? []) {
      if (element.type !== 'button') continue;
      expect((element.text as Text).text.length).toBeLessThanOrEqual(SLACK_LIMITS.buttonText);
      expect(element.url!.length).toBeLessThanOrEqual(SLACK_LIMITS.url);
    }
  }
};

test('every type of event keeps within the limits, whatever the text', () => {
  const long = ['x', '&', '<', '\u{10ffff}', '\u202e', '😀'].map((each) => each.repeat(5_000));
  for (const type of WEBHOOK_EVENTS) for (const text of long) holdsLimits(type, text);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => holdsLimits('review.opened', text)),
    { numRuns: 200 },
  );
});

test('other people cannot mention a channel, forge a link or hide text', () => {
  const hostile = '<!channel> <https://evil.example|click> & \u202egnp.exe \u200b*bold*';
  const message = slackMessage('review.opened', full(hostile));
  const text = JSON.stringify(message);
  expect(text).not.toContain('<!channel>');
  expect(text).not.toContain('<https://evil.example');
  expect(text).not.toContain('\u202e');
  expect(text).toContain('&lt;!channel&gt; &lt;https://evil.example|click&gt; &amp; \\\\u{202e}gnp.exe');
  // Slack reads markup in the text of a message, so it contains no caller text.
  expect(message.text).toBe('A write needs your review: https://writecheck.example.com/reviews/rev_1');
  const markup = JSON.stringify(message.blocks).includes('mrkdwn');
  expect(markup).toBe(false);
});

test('caller text is cut at 200 characters, never within one', () => {
  expect(cut('x'.repeat(201))).toBe('x'.repeat(200));
  expect(cut('😀'.repeat(201))).toBe('😀'.repeat(200));
  expect(cut('short')).toBe('short');
});

test('an event without a target or link still gives a message', () => {
  expect(slackMessage('test', { workspace: 'ws_1', webhookId: 'whk_1' })).toMatchObject({
    text: 'This is a test',
    blocks: [{ type: 'header' }, { type: 'context' }],
  });
});
