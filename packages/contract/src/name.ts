/** The rule for names on the wire: members of an intent, names of keys, IDs of attestations. */
import { NAME_CHARACTERS_MAX } from './limits.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** What is wrong with a name, or null. Spaces are what `trim` removes, including U+00A0, U+2028 and U+FEFF. */
export function nameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (isLongerThan(name, NAME_CHARACTERS_MAX)) return `is longer than ${NAME_CHARACTERS_MAX} characters`;
  if (CONTROL_CHARACTER.test(name)) return 'must not contain control characters';
  if (name !== name.trim()) return 'must not begin or end with a space';
  return null;
}

/** INVARIANT: accepting and revoking an attestation use this same rule, so every accepted one can be revoked. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && nameFault(value) === null;
}

/** Characters are code points. */
export function isLongerThan(text: string, limitCharacters: number): boolean {
  if (text.length <= limitCharacters) return false;
  return text.length > 2 * limitCharacters || [...text].length > limitCharacters;
}
