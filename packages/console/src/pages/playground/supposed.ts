/** Evidence that the playground supposes to be signed; only tests and this page believe it. */

/** What an item says instead of a signature. */
export const SUPPOSED = 'test:signed';

export function isSupposed({ attestation }: { readonly attestation?: unknown }): boolean {
  return typeof attestation === 'string' && attestation.startsWith('test:');
}
