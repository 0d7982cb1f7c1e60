/** The events that a webhook can be for, in groups. */
import type { Webhook } from '@writecheck/api';
import { WEBHOOK_EVENTS } from '@writecheck/contract';

export type Events = Webhook['events'];

/** Every webhook gets its own tests. */
export const EVENTS: Events = WEBHOOK_EVENTS.filter((event) => event !== 'test');

/** By the first part of an event's name; what is new here stands among the others. */
const GROUPS = [
  ['Decisions', ['decision']],
  ['Reviews', ['review']],
  ['Freezes', ['freeze']],
  ['Policies', ['policy']],
  ['Keys and people', ['key', 'person']],
] as const;

export function eventGroups(): readonly { readonly name: string; readonly events: Events }[] {
  const groups = GROUPS.map(([name, subjects]) => ({
    name: name as string,
    events: EVENTS.filter((event) => (subjects as readonly string[]).includes(event.split('.', 1)[0]!)),
  }));
  const others = EVENTS.filter((event) => !groups.some(({ events }) => events.includes(event)));
  return [...groups, { name: 'Everything else', events: others }].filter(({ events }) => events.length > 0);
}
