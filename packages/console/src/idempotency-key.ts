/** A new `Idempotency-Key` for a request that must happen once, however often it is sent. */

/** `crypto.randomUUID` is unavailable over plain HTTP. */
export function newKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('')}`;
}
