/** Sends a change, and keeps whether it is under way and why it failed. */
import { useState } from 'preact/hooks';
import type { Failure, Reply } from './api.ts';

export function useAct() {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const act = async <T>(sent: Promise<Reply<T>>, done: (value: T) => void = () => {}): Promise<Reply<T>> => {
    setIsBusy(true);
    setFailure(null);
    const reply = await sent;
    setIsBusy(false);
    if (reply.kind === 'failure') setFailure(reply);
    else done(reply.value);
    return reply;
  };
  return { isBusy, failure, act, forget: () => setFailure(null) };
}
