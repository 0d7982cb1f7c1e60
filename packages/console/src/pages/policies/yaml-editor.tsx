/** A text area with colours: a transparent text area over the same text in colour. */
import { Component } from 'preact';
import { useMemo } from 'preact/hooks';
import { highlightYaml, type Token } from './highlight-yaml.ts';

/** Longer texts stay uncoloured, because rendering them would slow down typing. */
const COLOURED_MAX = 120_000;

export function YamlEditor({
  id,
  value,
  faultLines,
  changedLines,
  onInput,
}: {
  readonly id: string;
  readonly value: string;
  readonly faultLines: ReadonlySet<number>;
  readonly changedLines: ReadonlySet<number>;
  readonly onInput: (value: string) => void;
}) {
  const isColoured = value.length <= COLOURED_MAX;
  const lines = useMemo(() => (isColoured ? highlightYaml(value) : []), [value, isColoured]);
  return (
    <div class={`editor${isColoured ? '' : ' uncoloured'}`}>
      <div class="editor-paper">
        <pre aria-hidden="true">
          {isColoured
            ? lines.map((tokens, at) => (
                <Line
                  key={at}
                  tokens={tokens}
                  mark={faultLines.has(at + 1) ? 'fault' : changedLines.has(at + 1) ? 'is-new' : ''}
                />
              ))
            : `${value}\n`}
        </pre>
        <textarea
          id={id}
          aria-label="Policy documents, as YAML"
          aria-invalid={faultLines.size > 0}
          aria-describedby="editor-findings"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          wrap="off"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

/** Whether one key can have made this change. */
export function isTyped(before: string, after: string): boolean {
  let at = 0;
  while (at < after.length && before[at] === after[at]) at += 1;
  const [old, next] = [before.slice(at), after.slice(at)];
  return next.slice(1) === old || next === old.slice(1) || next.slice(1) === old.slice(1);
}

interface LineProps {
  readonly tokens: readonly Token[];
  readonly mark: 'fault' | 'is-new' | '';
}

/** Skips rendering unchanged lines; a keystroke changes very few. */
class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const { tokens, mark } = this.props;
    return (
      next.mark !== mark ||
      next.tokens.length !== tokens.length ||
      next.tokens.some(({ kind, text }, at) => kind !== tokens[at]!.kind || text !== tokens[at]!.text)
    );
  }

  override render({ tokens, mark }: LineProps) {
    return (
      <div class={`l ${mark}`}>
        {tokens.length === 0
          ? '\u200b'
          : tokens.map(({ kind, text }, at) =>
              kind === 'plain' ? (
                text
              ) : (
                <span key={at} class={`y-${kind}`}>
                  {text}
                </span>
              ),
            )}
      </div>
    );
  }
}

/** Selects a line, counted from 1, and scrolls to it. */
export function goToLine(id: string, line: number): void {
  const area = document.getElementById(id);
  if (!(area instanceof HTMLTextAreaElement)) return;
  const before = area.value.split('\n').slice(0, line - 1);
  const start = before.reduce((length, text) => length + text.length + 1, 0);
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, start + (area.value.slice(start).split('\n', 1)[0]?.length ?? 0));
  area.scrollIntoView({ block: 'nearest' });
  showLine(id, line);
  area.closest('.editor')?.scrollIntoView({ block: 'nearest' });
}

/** Scrolls the editor to a line and leaves the focus: the next key is not typed into the text. */
export function showLine(id: string, line: number): void {
  const area = document.getElementById(id);
  if (area === null) return;
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.closest('.editor')?.scrollTo({ top: Math.max(0, (line - 4) * lineHeight) });
}
