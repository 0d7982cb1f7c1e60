/** What a reviewer says of a verdict: typed, or one of the common reasons of a rejection. */

const CHARACTERS_MAX = 2_000;
const REASONS = ['Wrong value.', 'The person it is for denies it.', 'Duplicate.'] as const;

export function Reason({
  label,
  rows,
  text,
  isMissing,
  isFocused = false,
  isRejection,
  onText,
}: {
  readonly label: string;
  readonly rows: number;
  readonly text: string;
  /** Whether the dialog says below that it is needed. */
  readonly isMissing: boolean;
  readonly isFocused?: boolean;
  readonly isRejection: boolean;
  readonly onText: (text: string) => void;
}) {
  return (
    <>
      <label>
        {label}
        <textarea
          autofocus={isFocused}
          rows={rows}
          maxLength={CHARACTERS_MAX}
          value={text}
          aria-invalid={isMissing}
          aria-describedby={isMissing ? 'say-why' : undefined}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      {isRejection && (
        <fieldset class="row">
          <legend class="hidden">Common reasons</legend>
          {REASONS.map((reason) => (
            <button key={reason} type="button" class="small" onClick={() => onText(reason)}>
              {reason}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
