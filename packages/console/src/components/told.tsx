/** A message of the service, in which names stand between backticks. */
export function Told({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <>
      {parts.map((part, at) => {
        const key = `${at} ${part}`;
        return at % 2 === 1 && at < parts.length - 1 ? <code key={key}>{part}</code> : part;
      })}
    </>
  );
}
