/** The types of events, and what an event is before it belongs to a webhook. */

export const EVENT_TYPES = [
  'decision.paused',
  'decision.blocked',
  'review.opened',
  'review.expiring',
  'review.approved',
  'review.rejected',
  'review.expired',
  'review.cancelled',
  'policy.applied',
  'policy.loosened',
  'key.created',
  'key.revoked',
  'person.joined',
  'person.reset',
  'person.disabled',
  'quota.reached',
  'test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface WebhookEvent {
  /** Names the event within its workspace, for good: taking it twice gives one delivery. */
  readonly key: string;
  readonly type: EventType;
  readonly atMs: number;
  readonly data: EventData;
}

/** Ids, outcome, codes and target. INVARIANT: neither values nor evidence, and no text of a caller over 200 characters. */
export type EventData = { readonly [member: string]: unknown };

const TEXT_CHARACTERS_MAX = 200;

/** Text that somebody else chose, at a length that is fit for a message. */
export function cut(text: string): string {
  return [...text.slice(0, 2 * TEXT_CHARACTERS_MAX)].slice(0, TEXT_CHARACTERS_MAX).join('');
}

export interface Target {
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string | null;
  readonly field: string | null;
  readonly operation: string | null;
}

export function cutTarget({ system, objectType, objectRef, field, operation }: Target): Target {
  const short = (text: string | null): string | null => (text === null ? null : cut(text));
  return {
    system: cut(system),
    objectType: short(objectType),
    objectRef: short(objectRef),
    field: short(field),
    operation: short(operation),
  };
}
