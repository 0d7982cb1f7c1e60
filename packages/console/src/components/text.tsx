/** Text chosen by callers or the service: hidden and deceptive characters are marked, and a long text is cut until the user expands it. */
import type { OddCharacter } from '@writecheck/contract';
import { useContext, useState } from 'preact/hooks';
import type { Stretch } from './compare-characters.ts';
import { markedCharacters } from './deceptive-text.ts';
import { FoundText, foundIn } from './found-text.ts';
import { unbrokenParts } from './unbroken.ts';

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
  if (stretches.length === 1 && stretches[0]!.kind === 'same' && PLAIN.test(text))
    return <Unbroken text={text} />;
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

function Unbroken({ text }: { readonly text: string }) {
  return (
    <>
      {unbrokenParts(text).map((part, at) =>
        part.isWhole ? (
          <span key={at} class="one-piece">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
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

const CHARACTERS_MAX = 160;

export function CallerText({ text }: { readonly text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { shown, count } = beginningOf(text);
  if (shown === text) return <RevealedText text={text} />;
  return (
    <>
      {isWhole ? (
        <RevealedText text={text} />
      ) : (
        <span class="clamped">
          <RevealedText text={shown} />…
        </span>
      )}{' '}
      <button type="button" class="small" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
        {isWhole ? 'show less' : `show all ${count.toLocaleString('en')} characters`}
      </button>
    </>
  );
}

/** Short enough to stay on its line. */
const SHORT_CHARACTERS = 60;

/** For a list row, which has no room for a button; the page it links to shows the whole text. */
export function BriefCallerText({ text }: { readonly text: string }) {
  const found = foundIn(text, useContext(FoundText));
  if (text.length <= SHORT_CHARACTERS)
    return <RevealedText text={text} {...(found === null ? {} : { stretches: found })} />;
  const { shown, count } = beginningOf(text);
  return (
    <>
      <span class="clamped">
        <RevealedText text={shown} {...(found === null || shown !== text ? {} : { stretches: found })} />
        {shown !== text && '…'}
      </span>
      {shown !== text && <span class="quiet small-text"> {count.toLocaleString('en')} characters</span>}
    </>
  );
}

/** Cuts at a code point; a short text is returned unchanged. */
function beginningOf(text: string): { readonly shown: string; readonly count: number } {
  if (text.length <= CHARACTERS_MAX) return { shown: text, count: text.length };
  const points = [...text];
  return points.length <= CHARACTERS_MAX
    ? { shown: text, count: points.length }
    : { shown: points.slice(0, CHARACTERS_MAX).join(''), count: points.length };
}

/** A message from the service: names in backticks become code, and odd characters are marked. */
export function Told({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <>
      {parts.map((part, at) => {
        const key = `${at} ${part}`;
        return at % 2 === 1 && at < parts.length - 1 ? (
          <code key={key}>
            <CallerText text={part} />
          </code>
        ) : (
          <RevealedText key={key} text={part} />
        );
      })}
    </>
  );
}
