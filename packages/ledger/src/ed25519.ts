/** Ed25519 through WebCrypto, the one API that Node and browsers share. */

const ALGORITHM = 'Ed25519';

/**
 * A WebCrypto key, described by its members: the global type `CryptoKey` exists only with the DOM library or a recent
 * `@types/node`, and an unresolved name turns into `any` for callers who skip checking declarations.
 */
export interface WebCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** False for a bad signature and for a public key that is not a point; it never throws for other people's input. */
export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey.slice(), ALGORITHM, false, ['verify']);
    return await crypto.subtle.verify(ALGORITHM, key, signature.slice(), message.slice());
  } catch {
    return false;
  }
}
