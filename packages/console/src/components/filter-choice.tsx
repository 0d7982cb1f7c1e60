/** One filter of a list: a field that shows its name until something is chosen. */
import { revealedPlain } from '@writecheck/contract';

export function FilterChoice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  /** Empty if nothing is chosen. */
  readonly value: string;
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly onChange: (value: string) => void;
}) {
  // An address can name what no option has; without one the field would be blank, and stay so.
  const isListed = value === '' || options.some(([each]) => each === value);
  return (
    <label>
      <span class="hidden">{label}</span>
      <select
        class={value === '' ? '' : 'is-set'}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{label}</option>
        {(isListed ? options : [[value, value] as const, ...options]).map(([each, shown]) => (
          <option key={each} value={each}>
            {revealedPlain(shown)}
          </option>
        ))}
      </select>
    </label>
  );
}
