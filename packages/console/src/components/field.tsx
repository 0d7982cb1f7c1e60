/** Fields of forms and filters, each under its label. */
import type { AllHTMLAttributes, ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { FieldFault } from './field-fault.tsx';

interface Labelled {
  readonly label: ComponentChildren;
  /** For a field that shows by itself what it is for. */
  readonly isLabelHidden?: boolean | undefined;
  readonly hint?: ComponentChildren;
  readonly kind?: string;
}

interface TextFieldProps
  extends Labelled,
    Omit<AllHTMLAttributes<HTMLInputElement>, keyof Labelled | 'value' | 'onInput'> {
  readonly value: string;
  /** Why the service refused the value. */
  readonly fault?: string | null;
  readonly onInput: (text: string) => void;
}

export function TextField({
  label,
  isLabelHidden,
  hint,
  kind,
  fault = null,
  required = false,
  onInput,
  ...rest
}: TextFieldProps) {
  return (
    <label class={kind}>
      <Label label={label} isLabelHidden={isLabelHidden} hint={hint} isRequired={required === true} />
      <input
        required={required}
        aria-invalid={fault !== null}
        {...(rest as object)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <FieldFault text={fault} />
    </label>
  );
}

/** Names between commas. Keeps what was typed, because a comma or space at its end is not yet part of a name. */
export function NamesField({
  names,
  known,
  onNames,
  ...rest
}: Omit<TextFieldProps, 'value' | 'onInput'> & {
  readonly names: readonly string[];
  /** To choose from. */
  readonly known?: readonly string[];
  readonly onNames: (names: readonly string[]) => void;
}) {
  const [text, setText] = useState(names.join(', '));
  const id = useId();
  const type = (typed: string) => {
    setText(typed);
    const parts = typed.split(',').map((part) => part.trim());
    onNames(parts.filter((part) => part !== ''));
  };
  return (
    <>
      <TextField
        {...rest}
        list={known && id}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={type}
      />
      {known && (
        <datalist id={id}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface ChoiceProps<T extends string | number> extends Labelled {
  readonly value: T;
  readonly options: readonly (readonly [value: T, shown: string])[];
  /** Why the service refused the value. */
  readonly fault?: string | null;
  readonly onChange: (value: T) => void;
}

export function Choice<T extends string | number>({
  value,
  options,
  fault = null,
  onChange,
  ...labelled
}: ChoiceProps<T>) {
  return (
    <label class={labelled.kind}>
      <Label {...labelled} />
      <select
        value={value}
        aria-invalid={fault === null ? undefined : true}
        onChange={({ currentTarget: { selectedIndex } }) => onChange(options[selectedIndex]![0])}
      >
        {options.map(([each, shown]) => (
          <option key={each} value={each}>
            {shown}
          </option>
        ))}
      </select>
      <FieldFault text={fault} />
    </label>
  );
}

/** The one way to say it; what is missing is said when the button is pressed, which is never disabled for it. */
export function Required({ children }: { readonly children: ComponentChildren }) {
  return (
    <span>
      {children} <span class="quiet small-text">(required)</span>
    </span>
  );
}

function Label({
  label,
  isLabelHidden,
  hint,
  isRequired = false,
}: Pick<Labelled, 'label' | 'isLabelHidden' | 'hint'> & { readonly isRequired?: boolean }) {
  if (isLabelHidden) return <span class="hidden">{label}</span>;
  return (
    <>
      {isRequired ? <Required>{label}</Required> : label}{' '}
      {hint !== undefined && <span class="quiet small-text">{hint}</span>}
    </>
  );
}
