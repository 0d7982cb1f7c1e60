/** Text chosen by a caller: hidden characters are marked, and a long text is cut until the user expands it. */
import { useContext, useState } from 'preact/hooks';
import { FoundText, foundIn } from './found-text.ts';
import { RevealedText } from './revealed-text.tsx';

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
