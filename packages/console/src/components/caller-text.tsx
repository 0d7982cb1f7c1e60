/** A text that a caller chose: nothing hides in it, and however long it is, it takes a few lines until somebody wants all of it. */
import { useState } from 'preact/hooks';
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

/** What stays within the line it stands in. */
const SHORT_CHARACTERS = 60;

/** For a line of a list, where there is no room for a button: what it leads to shows all of it. */
export function BriefCallerText({ text }: { readonly text: string }) {
  if (text.length <= SHORT_CHARACTERS) return <RevealedText text={text} />;
  const { shown, count } = beginningOf(text);
  return (
    <>
      <span class="clamped">
        <RevealedText text={shown} />
        {shown !== text && '…'}
      </span>
      {shown !== text && (
        <span class="quiet small-text"> {count.toLocaleString('en')} characters in all</span>
      )}
    </>
  );
}

/** Whole code points; a short text comes back as it is. */
function beginningOf(text: string): { readonly shown: string; readonly count: number } {
  if (text.length <= CHARACTERS_MAX) return { shown: text, count: text.length };
  const points = [...text];
  return points.length <= CHARACTERS_MAX
    ? { shown: text, count: points.length }
    : { shown: points.slice(0, CHARACTERS_MAX).join(''), count: points.length };
}
