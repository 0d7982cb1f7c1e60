/** Name, roles and groups of a person. */
import { ROLES } from '@writecheck/contract';
import { type PersonWish, ROLE_WORDS } from '../../calls/people.ts';
import { Checks, said } from '../../components/checks.tsx';
import { NamesField, TextField } from '../../components/field.tsx';

export function PersonFields({
  wish,
  onChange,
  isOneself = false,
}: {
  readonly wish: PersonWish;
  readonly onChange: (wish: PersonWish) => void;
  /** Nobody changes their own roles or groups. */
  readonly isOneself?: boolean;
}) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={256}
        value={wish.name}
        onInput={(name) => onChange({ ...wish, name })}
      />
      {isOneself ? (
        <p class="quiet">Another owner changes your roles and groups.</p>
      ) : (
        <>
          <Checks
            title="Roles"
            options={ROLES.map((role) => [role, said(role, ROLE_WORDS[role])])}
            chosen={wish.roles}
            onChange={(roles) => onChange({ ...wish, roles })}
          />
          <NamesField
            label="Groups"
            hint="comma-separated; policies name them"
            names={wish.groups}
            placeholder="finance"
            onNames={(groups) => onChange({ ...wish, groups })}
          />
        </>
      )}
    </>
  );
}
