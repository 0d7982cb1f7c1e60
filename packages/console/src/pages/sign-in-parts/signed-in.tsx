/** Who is signed in. */

import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { RevealedText } from '../../components/revealed-text.tsx';
import { type Person, useSession } from '../../state/session.ts';
import type { Me } from '../../state/signed-in-person.ts';

/** Nothing for an owner key, which is nobody in particular. */
export function SignedInPerson() {
  const session = useSession();
  const [person, setPerson] = useState<Person | null>(null);
  useEffect(() => {
    setPerson(null);
    if (session === null) return;
    void call<Me>('GET', '/v1/me').then((me) => me.kind === 'success' && setPerson(me.value.person));
  }, [session]);
  if (person === null) return null;
  return (
    <p>
      You are{' '}
      <strong>
        <RevealedText text={person.name} />
      </strong>{' '}
      (<RevealedText text={person.email} />
      ), {person.roles.join(', ')}.
    </p>
  );
}
