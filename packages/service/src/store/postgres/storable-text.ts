/** Texts that PostgreSQL cannot hold as they are: it knows no NUL, and an index entry no long text. */
import { hash } from 'node:crypto';
import type { ConsumedAttestation } from '@writecheck/contract';

/** Backslash and NUL are escaped; nothing else changes, and no two texts become the same. */
export function storableText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0');
}

export function originalText(stored: string): string {
  return stored.replaceAll(/\\([\\0])/g, (_, escaped: string) => (escaped === '0' ? '\0' : '\\'));
}

const ID_CHARACTERS_MAX = 200;

/** An attestation's id is only ever compared, so one that is long or odd may stand there as its hash. */
export function storableId({ jti }: Pick<ConsumedAttestation, 'jti'>): string {
  return jti.length <= ID_CHARACTERS_MAX && !jti.includes('\0') && !jti.startsWith('sha256:')
    ? jti
    : `sha256:${hash('sha256', jti)}`;
}
