/** The RFC 8785 form of the members that the digest of an intent covers. */
import { DIGEST_MEMBERS } from '@writecheck/contract';

/**
 * Takes an intent that JSON.parse has made. The contract's `canonicalIntent` accepts any value, but would be a tenth
 * of the code that a page loads; a test compares the two. Throws for half a surrogate pair, which is not Unicode
 * text.
 */
export function canonicalIntent(sent: Readonly<Record<string, unknown>>): string {
  const covered = DIGEST_MEMBERS.filter((name) => Object.hasOwn(sent, name) && sent[name] !== null);
  return canonical(Object.fromEntries(covered.map((name) => [name, sent[name]])));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('not Unicode text');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // RFC 8785 sorts names by UTF-16 code units, as a plain sort does.
  const names = Object.keys(value).sort();
  const members = value as Readonly<Record<string, unknown>>;
  return `{${names.map((name) => `${canonical(name)}:${canonical(members[name])}`)}}`;
}
