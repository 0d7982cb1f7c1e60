import { expect, test } from 'vitest';
import type { Actor } from '../../exchange/actor.ts';
import { authorOf } from './person-entries.ts';

test('the log names only people and owner keys as authors of a change to a person, never another key as one', () => {
  const as = (kind: Actor['kind']) => () => authorOf({ kind, id: 'id_1' } as Actor);
  expect([as('person')(), as('owner_key')()]).toEqual([
    { kind: 'person', id: 'id_1' },
    { kind: 'owner_key', id: 'id_1' },
  ]);
  expect(as('service_key')).toThrow('a service_key cannot manage people');
  expect(as('checking_key')).toThrow('a checking_key cannot manage people');
});
