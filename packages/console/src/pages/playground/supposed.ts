/** Evidence that the playground supposes to be signed; only tests and this page believe it. */
import type { JsonObject } from '@writecheck/contract';

/** What an item says instead of a signature. */
export const SUPPOSED = 'test:signed';

export function isSupposed({ attestation }: JsonObject): boolean {
  return typeof attestation === 'string' && attestation.startsWith('test:');
}
