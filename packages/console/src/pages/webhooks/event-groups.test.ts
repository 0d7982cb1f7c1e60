import { expect, test } from 'vitest';
import { EVENTS, eventGroups } from './event-groups.ts';

test('every event that a webhook can be for is offered once', () => {
  const offered = eventGroups().flatMap(({ events }) => events);
  expect(offered.toSorted()).toEqual([...EVENTS].sort());
});
