/** Who froze or lifted, by name where the user may see names. */
import type { Freeze } from '@writecheck/api';
import { listKeys } from '../../calls/keys.ts';
import { listPeople } from '../../calls/people.ts';
import { RevealedText } from '../../components/revealed-text.tsx';
import { ownerKeyNamed } from '../../components/review/review-words.tsx';
import { hasRight } from '../../state/rights.ts';
import { session, useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';

type Author = Freeze['createdBy'];
/** By ID: people and owner keys. */
export type Names = ReadonlyMap<string, string>;

const NOBODY: Names = new Map();

export function useNames(): Names {
  const { value } = useLoad('names', async (signal) => {
    const headers = new Headers();
    if (!hasRight(session.get()?.person, 'listPeople'))
      return { kind: 'success', value: NOBODY, headers } as const;
    const [people, keys] = await Promise.all([listPeople(signal), listKeys(signal)]);
    if (people.kind === 'failure') return people;
    if (keys.kind === 'failure') return keys;
    const all = [...people.value.people, ...keys.value.keys];
    return { kind: 'success', value: new Map(all.map(({ id, name }) => [id, name])), headers } as const;
  });
  return value ?? NOBODY;
}

export function Who({ by, names }: { readonly by: Author; readonly names: Names }) {
  const self = useSession()?.person?.id;
  if (by.id === self) return <>you</>;
  const name = names.get(by.id);
  if (name !== undefined) return <RevealedText text={by.kind === 'owner_key' ? ownerKeyNamed(name) : name} />;
  switch (by.kind) {
    case 'person':
      return <span title={by.id}>a person</span>;
    case 'owner_key':
      return <span title={by.id}>an owner key</span>;
    case 'operator':
      return (
        <>
          operator <RevealedText text={by.id} />
        </>
      );
  }
}
