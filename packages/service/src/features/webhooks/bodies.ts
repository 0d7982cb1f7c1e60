/** The body of a delivery in the webhook's format, made from what is stored when it is sent. */
import { isoTime, type WebhookFormat } from '@writecheck/contract';
import type { StoredDelivery } from '@writecheck/store/port/webhooks';
import type { EventData } from './event-types.ts';
import { slackMessage } from './slack.ts';

export function bodyOf(format: WebhookFormat, { type, atMs, data }: StoredDelivery): string {
  if (format === 'slack') return JSON.stringify(slackMessage(type, JSON.parse(data) as EventData));
  // INVARIANT: the same bytes at every attempt, since the stored data never changes.
  return `{"type":${JSON.stringify(type)},"timestamp":"${isoTime(atMs)}","data":${data}}`;
}
