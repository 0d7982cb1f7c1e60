import { expect, test } from 'vitest';
import { shownFacts } from './shown-facts.ts';

const RECORD = { cabin: 'business', flights: [{ status: 'open' }], total: 5 };

test('every fact that a condition names is shown once, with its value, and no member of the intent', () => {
  const when =
    'facts.trip.cabin == "x" || facts.trip.cabin == intent.agentValue || facts.trip.flights.exists(f, f.status == "open") || facts.other.gone > 1.0';
  const facts = (controlId: string) => (controlId === 'trip' ? RECORD : null);
  expect(shownFacts(when, facts)).toEqual([
    { controlId: 'trip', path: 'facts.trip.cabin', value: 'business' },
    { controlId: 'trip', path: 'facts.trip.flights', value: RECORD.flights },
    { controlId: 'other', path: 'facts.other.gone', value: undefined },
  ]);
});

test('a condition that does not parse shows nothing', () => {
  expect(shownFacts('facts.trip.cabin ==', () => RECORD)).toEqual([]);
});
