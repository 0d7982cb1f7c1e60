/** What a name is, wherever one crosses the wire: members of an intent, names of keys, ids of attestations. */
import { NAME_CHARACTERS_MAX } from './limits.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is for
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** What is wrong with a name; null if nothing is. Spaces are what `trim` takes away, U+00A0, U+2028 and U+FEFF too. */
export function nameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (isLongerThan(name, NAME_CHARACTERS_MAX)) return `is longer than ${NAME_CHARACTERS_MAX} characters`;
  if (CONTROL_CHARACTER.test(name)) return 'must not hold control characters';
  if (name !== name.trim()) return 'must not begin or end with a space';
  return null;
}

/** INVARIANT: an attestation counts and can be revoked by this one rule, so whatever is accepted can be revoked. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && nameFault(value) === null;
}

/** Characters are code points. */
export function isLongerThan(text: string, limitCharacters: number): boolean {
  if (text.length <= limitCharacters) return false;
  return text.length > 2 * limitCharacters || [...text].length > limitCharacters;
}
