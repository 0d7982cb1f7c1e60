/** Ed25519 through WebCrypto, the one form of it that Node and browsers share. */

const ALGORITHM = 'Ed25519';

/** False for a bad signature and for a public key that is no point; it never throws for what others wrote. */
export const verifyEd25519 = async (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> => {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey.slice(), ALGORITHM, false, ['verify']);
    return await crypto.subtle.verify(ALGORITHM, key, signature.slice(), message.slice());
  } catch {
    return false;
  }
};

export const signEd25519 = async (privateKey: CryptoKey, message: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign(ALGORITHM, privateKey, message.slice()));
