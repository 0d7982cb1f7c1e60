import { expect, test } from 'vitest';
import { recordedIntent } from './recorded-intent.ts';

const recordOf = (intent: string) => Buffer.from(`{"version":"1","warnings":[],"intent":${intent}}`);

test('the intent of a record is what it was decided as, whatever was read before it', () => {
  // Once V8 has seen the first, JSON.parse reads the escaped name of the second as its own first characters.
  const decoy = String.raw`{"q1":1,"\\u006fbje":1,"system":"s","operation":"o","a":1,"b":1}`;
  const hiding = String.raw`{"q1":1,"\u006fbjectRef":"PERSON-7","system":"s","operation":"o","a":1,"b":1}`;
  for (let i = 0; i < 3; i += 1) expect(recordedIntent(recordOf(decoy)).objectRef).toBeUndefined();
  for (let i = 0; i < 3; i += 1) JSON.parse(recordOf(decoy).toString());
  expect(recordedIntent(recordOf(hiding))).toMatchObject({ objectRef: 'PERSON-7', system: 's' });
});

test('what stands around it does not matter, and what cannot be read is told', () => {
  const record = Buffer.concat([
    Buffer.from('xx'),
    recordOf('{"system":"s","metadata":{"note":",\\"intent\\":"}}'),
  ]);
  expect(recordedIntent(record.subarray(2)).system).toBe('s');
  expect(() => recordedIntent(recordOf('{"system":"s","system":"t"}'))).toThrow('cannot be read');
});
