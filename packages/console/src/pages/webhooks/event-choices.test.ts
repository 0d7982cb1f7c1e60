import { expect, test } from 'vitest';
import { EVENTS } from '../../calls/webhooks.ts';
import { eventGroups } from './event-choices.tsx';

test('every event that a webhook can be for is offered once', () => {
  const offered = eventGroups().flatMap(({ events }) => events);
  expect(offered.toSorted()).toEqual([...EVENTS].sort());
});
