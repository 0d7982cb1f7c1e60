/** What the browser's passkeys can do here, and why not. */
import { WebAuthnError } from '@simplewebauthn/browser';

export type Hindrance =
  | { readonly kind: 'address'; readonly instead: string }
  | { readonly kind: 'insecure' }
  | { readonly kind: 'unsupported' };

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]']);

/** Null if passkeys work on this page. They belong to a host name, so an IP address cannot have any. */
export function hindrance(behind = window.location.hash.slice(1)): Hindrance | null {
  const { hostname, port, pathname } = window.location;
  if (LOOPBACK.has(hostname)) {
    const address = port === '' ? 'localhost' : `localhost:${port}`;
    return { kind: 'address', instead: `http://${address}${pathname}#${behind}` };
  }
  if (!window.isSecureContext) return { kind: 'insecure' };
  return 'PublicKeyCredential' in window ? null : { kind: 'unsupported' };
}

/** The browser's refusal, in words. */
export function wordsFor(error: unknown): string {
  if (error instanceof WebAuthnError) {
    if (error.code === 'ERROR_INVALID_RP_ID' || error.code === 'ERROR_INVALID_DOMAIN') {
      return 'Passkeys work only under the service’s public URL. Open the console there.';
    }
    if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
      return 'This device already has your passkey.';
    }
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') {
    return 'The passkey prompt was closed or timed out. Try again.';
  }
  return `The passkey did not work: ${error instanceof Error ? error.message : String(error)}`;
}
