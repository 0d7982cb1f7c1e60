/** Who is signed in. */
import { RevealedText } from '../../components/text.tsx';
import { useSession } from '../../state/session.ts';

/** Nothing for an owner key, which is nobody in particular. */
export function SignedInPerson() {
  const person = useSession()?.person;
  if (person === undefined) return null;
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
