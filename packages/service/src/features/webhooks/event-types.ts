/** An event before it belongs to a webhook. */
import type { WebhookEventType } from '@writecheck/contract';
import type { NotableTarget } from '@writecheck/store/port/webhooks';

export interface WebhookEvent {
  /** Identifies the event within its workspace: an event that is taken twice gives one delivery. */
  readonly key: string;
  readonly type: WebhookEventType;
  readonly atMs: number;
  readonly data: EventData;
}

/** Ids, outcome, codes and target. INVARIANT: neither values nor evidence, and no text of a caller over 200 characters. */
export type EventData = { readonly [member: string]: unknown };

const TEXT_CHARACTERS_MAX = 200;

/** A caller's text, cut to a length that fits a message. */
export function cut(text: string): string {
  return [...text.slice(0, 2 * TEXT_CHARACTERS_MAX)].slice(0, TEXT_CHARACTERS_MAX).join('');
}

export function cutTarget({ system, objectType, objectRef, field, operation }: NotableTarget): NotableTarget {
  const short = (text: string | null): string | null => (text === null ? null : cut(text));
  return {
    system: cut(system),
    objectType: short(objectType),
    objectRef: short(objectRef),
    field: short(field),
    operation: short(operation),
  };
}
