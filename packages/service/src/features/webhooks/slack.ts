/** An event as a Slack message: our own words, other people's text as plain text, and a link. */
import { EVENT_SENTENCES, visible, type WebhookEventType } from '@writecheck/contract';
import { escaped } from '../../support/escaped.ts';
import { cut, type EventData } from './events.ts';

/** Block Kit refuses a message that exceeds any of these. */
export const SLACK_LIMITS = {
  blocks: 50,
  headerText: 150,
  fields: 10,
  fieldText: 2_000,
  buttonText: 75,
  url: 3_000,
};

interface Text {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

interface SlackMessage {
  /** Shown in notifications. INVARIANT: our own words only, because Slack reads markup here. */
  readonly text: string;
  readonly blocks: readonly object[];
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/** The members that the message shows, in this order. */
const LINES: readonly (readonly [label: string, of: (data: EventData) => unknown])[] = [
  ['System', (data) => targetMember(data, 'system')],
  ['Object', (data) => objectOf(data)],
  ['Field', (data) => targetMember(data, 'field')],
  ['Operation', (data) => targetMember(data, 'operation')],
  ['Reason', (data) => data.reasonCode],
  ['Controls', (data) => (Array.isArray(data.controls) ? data.controls.join(', ') : null)],
  ['Expires', (data) => data.expiresAt],
  ['Revision', (data) => data.revision],
  ['May allow more than before', (data) => (data.loosened === true ? 'yes' : null)],
  ['Key', (data) => (data.reasonCode === undefined ? data.keyId : null)],
  ['Person', (data) => data.personId],
  ['By', (data) => (data.by as { readonly id: string } | null | undefined)?.id],
];

export function slackMessage(type: string, data: EventData): SlackMessage {
  const title = EVENT_SENTENCES[type as WebhookEventType] ?? type;
  const fields = LINES.flatMap(([label, of]) => {
    const value = of(data);
    return value === null || value === undefined || value === '' ? [] : [plain(`${label}: ${value}`)];
  });
  const id = data.reviewId ?? data.decisionId ?? data.keyId ?? data.webhookId ?? null;
  const url = typeof data.url === 'string' && data.url.length <= SLACK_LIMITS.url ? data.url : null;
  const blocks: object[] = [{ type: 'header', text: plain(title) }];
  if (fields.length > 0) blocks.push({ type: 'section', fields: fields.slice(0, SLACK_LIMITS.fields) });
  if (id !== null) blocks.push({ type: 'context', elements: [plain(`${type} · ${id}`)] });
  if (url !== null) blocks.push({ type: 'actions', elements: [button(url)] });
  return {
    text: url === null ? title : `${title}: ${escaped(url)}`,
    blocks,
    unfurl_links: false,
    unfurl_media: false,
  };
}

function targetMember({ target }: EventData, member: string): unknown {
  return (target as { readonly [name: string]: unknown } | null | undefined)?.[member];
}

function objectOf(data: EventData): string | null {
  const parts = [targetMember(data, 'objectType'), targetMember(data, 'objectRef')];
  const named = parts.filter((part) => typeof part === 'string' && part !== '');
  return named.length === 0 ? null : named.join(' ');
}

function button(url: string): object {
  return { type: 'button', action_id: 'open', text: plain('Open in Writecheck'), url };
}

/** Never markup: with its three special characters escaped, Slack shows the text as it is. */
function plain(text: string): Text {
  return { type: 'plain_text', text: escaped(visible(cut(text))), emoji: false };
}
