/**
 * Lets the deciding threads of one service count together: each reports what it admitted to the others, immediately if
 * it has not done so for a while, otherwise many events in one message.
 */
import type { WindowLimit } from '../window-limit.ts';

const TELL_EVERY_MS = 25;

type Counts = { readonly [limit: string]: readonly (readonly [subject: string, events: number])[] };

/** What a thread sends; the main thread forwards it unchanged to the others. */
export interface CountedMessage {
  readonly kind: 'writecheck-counted';
  readonly counts: Counts;
}

export interface Channel {
  send(message: CountedMessage): void;
  onMessage(listener: (message: unknown) => void): void;
}

export function isCountedMessage(message: unknown): message is CountedMessage {
  return (message as { readonly kind?: unknown } | null)?.kind === 'writecheck-counted';
}

/** Returns a function that stops sharing. */
export function shareLimits(
  limits: { readonly [name: string]: WindowLimit | null },
  { send, onMessage }: Channel,
  clock: () => number,
): () => void {
  const pending = new Map<string, Map<string, number>>();
  let toldMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  function tell(): void {
    timer = null;
    toldMs = performance.now();
    const counts = Object.fromEntries([...pending].map(([name, each]) => [name, [...each]]));
    pending.clear();
    send({ kind: 'writecheck-counted', counts });
  }

  for (const [name, limit] of Object.entries(limits)) {
    if (limit === null) continue;
    limit.onCounted = (subject, events) => {
      const counts = pending.get(name) ?? new Map<string, number>();
      counts.set(subject, (counts.get(subject) ?? 0) + events);
      pending.set(name, counts);
      if (timer !== null || isOver) return;
      const waitMs = toldMs + TELL_EVERY_MS - performance.now();
      if (waitMs <= 0) return tell();
      timer = setTimeout(tell, waitMs);
      timer.unref();
    };
  }
  onMessage((message) => {
    if (!isCountedMessage(message)) return;
    for (const [name, counts] of Object.entries(message.counts)) {
      for (const [subject, events] of counts) limits[name]?.countElsewhere(subject, events, clock());
    }
  });
  return () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
  };
}
