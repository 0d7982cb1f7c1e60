/** A group of checkboxes: which of several are chosen, in their own order. */
import type { ComponentChildren } from 'preact';

/** Renders a value with its meaning. */
export function said(value: string, meaning: string) {
  return (
    <>
      {value} <span class="quiet small-text">{meaning}</span>
    </>
  );
}

export function Checks<T extends string>({
  title,
  kind = 'kinds',
  options,
  chosen,
  onChange,
}: {
  readonly title: ComponentChildren;
  readonly kind?: string;
  readonly options: readonly (readonly [value: T, shown: ComponentChildren])[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}) {
  return (
    <fieldset class={kind}>
      <legend>{title}</legend>
      {options.map(([value, shown]) => (
        <label key={value} class="kind">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) => {
              const rest = chosen.filter((each) => each !== value);
              const now = checked ? [...rest, value] : rest;
              onChange(options.map(([each]) => each).filter((each) => now.includes(each)));
            }}
          />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
}
