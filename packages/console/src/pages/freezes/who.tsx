/** Who froze or lifted, by name where the user may see names. */

import type { Freeze } from '@writecheck/api';
import type { Names } from '../../components/names-of.ts';
import { RevealedText } from '../../components/text.tsx';
import { useSession } from '../../state/session.ts';

type Author = Freeze['createdBy'];

export function Who({ by, names }: { readonly by: Author; readonly names: Names }) {
  const self = useSession()?.person?.id;
  if (by.id === self) return <>you</>;
  const name = names.get(by.id);
  if (name !== undefined) return <RevealedText text={name} />;
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

/** Null if its time ended. */
export function LiftedBy({ by, names }: { readonly by: Author | null; readonly names: Names }) {
  if (by === null) return <>expired</>;
  return (
    <>
      by <Who by={by} names={names} />
    </>
  );
}
