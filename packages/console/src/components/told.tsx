/** A message from the service: names in backticks become code, and odd characters are marked. */
import { CallerText } from './caller-text.tsx';
import { RevealedText } from './revealed-text.tsx';

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
