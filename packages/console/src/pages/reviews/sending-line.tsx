/** While a change of a review is under way: what is being sent, and that it takes long. */
import { useEffect, useState } from 'preact/hooks';
import type { Choice } from './confirm-verdict.tsx';

const LONG_MS = 3_000;

const WHAT: { readonly [choice in Choice]: string } = {
  approve: 'Sending your approval …',
  reject: 'Sending your rejection …',
  cancel: 'Cancelling …',
};

export function SendingLine({ choice }: { readonly choice: Choice }) {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span role="status">
      {WHAT[choice]}
      {isLong && ' This takes longer than usual.'}
    </span>
  );
}
