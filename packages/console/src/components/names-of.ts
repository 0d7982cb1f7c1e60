/** What to call people and keys, by their ids. */
import type { Key, Person } from '@writecheck/api';
import { ownerKeyNamed } from './review/review-words.tsx';

export type Names = ReadonlyMap<string, string>;

export function namesOf(people: readonly Person[], keys: readonly Key[]): Names {
  const named = keys.map(
    ({ id, kind, name }) => [id, kind === 'owner' ? ownerKeyNamed(name) : name] as const,
  );
  return new Map([...people.map(({ id, name }) => [id, name] as const), ...named]);
}
