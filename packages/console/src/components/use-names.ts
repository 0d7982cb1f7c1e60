/** The names of the workspace's people and keys, where the user may see them. */
import { success } from '../api.ts';
import { listKeys } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { joined, mapped } from '../replies.ts';
import { hasRight, session } from '../state/session.ts';
import { useLoad } from '../use-load.ts';
import { type Names, namesOf } from './names-of.ts';

const NOBODY: Names = new Map();

export function useNames(): Names {
  const { value } = useLoad('names', async (signal) => {
    if (!hasRight(session.get()?.person, 'listPeople')) return success(NOBODY);
    const read = await joined([listPeople(signal), listKeys(signal)]);
    return mapped(read, ([{ people }, { keys }]) => namesOf(people, keys));
  });
  return value ?? NOBODY;
}
