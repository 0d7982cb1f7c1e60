/** Text with every deceptive character marked and named. */
import type { OddCharacter } from '@writecheck/contract';
import type { Stretch } from './compare-characters.ts';
import { markedCharacters } from './deceptive-text.ts';

/** Nothing in it can be odd. */
const PLAIN = /^[ -~]*$/;

/** `stretches` also marks differences; joined, they must equal the text. */
export function RevealedText({
  text,
  stretches = [{ kind: 'same', text }],
  isWary = false,
  areLinesKept = false,
}: {
  readonly text: string;
  readonly stretches?: readonly Stretch[];
  readonly isWary?: boolean;
  /** Whether line breaks are layout, not content; for text that this page laid out. */
  readonly areLinesKept?: boolean;
}) {
  // Lists draw hundreds of these, and nearly all of them are plain.
  if (stretches.length === 1 && stretches[0]!.kind === 'same' && PLAIN.test(text)) return <>{text}</>;
  const odd = markedCharacters(text, isWary).map((each) =>
    areLinesKept && each?.code === 'U+000A' ? null : each,
  );
  let at = 0;
  return (
    <>
      {stretches.map((stretch) => {
        const start = at;
        at += [...stretch.text].length;
        const pieces = piecesOf(stretch.text, odd.slice(start, at), start);
        const key = `${start} ${stretch.kind}`;
        if (stretch.kind === 'same') return <span key={key}>{pieces}</span>;
        return (
          <mark key={key} class={stretch.kind === 'found' ? 'found' : ''}>
            {pieces}
          </mark>
        );
      })}
    </>
  );
}

function piecesOf(text: string, odd: readonly (OddCharacter | null)[], start: number) {
  const pieces: (string | preact.JSX.Element)[] = [];
  let plain = '';
  for (const [at, character] of [...text].entries()) {
    const found = odd[at];
    if (found === null || found === undefined) {
      plain += character;
      continue;
    }
    if (plain !== '') pieces.push(plain);
    plain = '';
    pieces.push(<Odd key={start + at} character={character} odd={found} />);
  }
  if (plain !== '') pieces.push(plain);
  return pieces;
}

function Odd({ character, odd }: { readonly character: string; readonly odd: OddCharacter }) {
  const isSeen = odd.kind === 'look-alike';
  return (
    <span class="odd" title={`${odd.code} ${odd.name}`}>
      {isSeen && <span class="odd-seen">{character}</span>}
      <span class="odd-code">{odd.code}</span>
    </span>
  );
}
