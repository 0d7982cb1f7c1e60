/** One of two. */
export function Segmented({
  title,
  options,
  isSecond,
  onChoose,
}: {
  readonly title: string;
  readonly options: readonly [first: string, second: string];
  readonly isSecond: boolean;
  readonly onChoose: (isSecond: boolean) => void;
}) {
  return (
    <fieldset class="segmented">
      <legend class="hidden">{title}</legend>
      {options.map((text, at) => (
        <button
          key={text}
          type="button"
          class="small"
          aria-pressed={isSecond === (at === 1)}
          onClick={() => onChoose(at === 1)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
