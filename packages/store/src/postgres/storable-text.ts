/** Texts that PostgreSQL cannot store as they are: it has no NUL, and its index entries cannot hold long texts. */
import { textDigest } from '../sha256.ts';

/** Escapes backslash and NUL; nothing else changes, and different texts stay different. */
export function storableText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0');
}

export function originalText(stored: string): string {
  return stored.replaceAll(/\\([\\0])/g, (_, escaped: string) => (escaped === '0' ? '\0' : '\\'));
}

const ID_CHARACTERS_MAX = 200;

/** An attestation's id is only ever compared, so a long or odd one may be stored as its hash. */
export function storableId(id: string): string {
  return id.length <= ID_CHARACTERS_MAX && !id.includes('\0') && !id.startsWith('sha256:')
    ? id
    : textDigest(id);
}
