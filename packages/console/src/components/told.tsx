/** A message of the service, in which names stand between backticks and nothing hides. */
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
