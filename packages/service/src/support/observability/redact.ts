/** Redacts whatever looks like a secret, anywhere in a text. */

/** Applied in this order, so that a key sent as a bearer token is redacted once. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b([Bb][Ee][Aa][Rr][Ee][Rr]|[Bb][Aa][Ss][Ii][Cc]) +[\w.~+/=-]+/g, '$1 [redacted]'],
  // Whole keys, and long pieces of them.
  [/(wck_(?:dev|live|own|svc|ses|inv)_)[0-9A-Za-z]{6,}/g, '$1[redacted]'],
  // Secrets of webhooks.
  [/(whsec_)[0-9A-Za-z+/=]{6,}/g, '$1[redacted]'],
  // Compact JWS such as attestations. The dots are optional: a pattern that insists on one rescans the same letters.
  [/\beyJ[\w.-]{8,}/g, '[redacted]'],
  // Passwords in URLs.
  [/(\/\/[^\s:@/"]+):[^\s@/"]+@/g, '$1:[redacted]@'],
];

export function redact(line: string): string {
  let text = line;
  for (const [pattern, replacement] of SECRETS) text = text.replaceAll(pattern, replacement);
  return text;
}
