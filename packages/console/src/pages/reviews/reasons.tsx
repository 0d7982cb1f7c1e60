/** The common reasons of a rejection, so that most need no typing. */

const REASONS = ['Wrong value.', 'The person it is for denies it.', 'Duplicate.'] as const;

export function Reasons({ onChoose }: { readonly onChoose: (reason: string) => void }) {
  return (
    <fieldset class="row">
      <legend class="hidden">Common reasons</legend>
      {REASONS.map((reason) => (
        <button key={reason} type="button" class="small" onClick={() => onChoose(reason)}>
          {reason}
        </button>
      ))}
    </fieldset>
  );
}
