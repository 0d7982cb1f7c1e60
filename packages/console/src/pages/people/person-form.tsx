/** Name, roles and groups of a person. */
import { ROLES } from '@writecheck/contract';
import { type PersonWish, ROLE_WORDS } from '../../calls/people.ts';
import { TextField } from '../../components/field.tsx';

export function PersonFields({
  wish,
  onChange,
}: {
  readonly wish: PersonWish;
  readonly onChange: (wish: PersonWish) => void;
}) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={256}
        value={wish.name}
        onInput={(entered) => onChange({ ...wish, name: entered })}
      />
      <fieldset class="kinds">
        <legend>Roles</legend>
        {ROLES.map((role) => (
          <label key={role} class="kind">
            <input
              type="checkbox"
              checked={wish.roles.includes(role)}
              onChange={(event) =>
                onChange({
                  ...wish,
                  roles: event.currentTarget.checked
                    ? [...wish.roles, role]
                    : wish.roles.filter((each) => each !== role),
                })
              }
            />
            <span>
              {role} <span class="quiet small-text">{ROLE_WORDS[role]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        Groups <span class="quiet small-text">comma-separated; policies name them</span>
        <input
          value={wish.groups.join(', ')}
          placeholder="finance"
          spellcheck={false}
          onChange={(event) =>
            onChange({
              ...wish,
              groups: event.currentTarget.value
                .split(',')
                .map((group) => group.trim())
                .filter((group) => group !== ''),
            })
          }
        />
      </label>
    </>
  );
}
