/** Reads what the browser says about a registration or a sign-in, before anything is verified. */
import { parseStrictJson } from '@writecheck/contract';
import { decodeBase64Url } from '@writecheck/ledger/log';

interface ClientData {
  readonly challenge: string;
  /** Whether the page that asked was embedded in another page. */
  readonly isEmbedded: boolean;
}

/** Null if `credential.response.clientDataJSON` is not there or cannot be read. */
export function readClientData(credential: unknown): ClientData | null {
  const text = member(member(credential, 'response'), 'clientDataJSON');
  const bytes = typeof text === 'string' ? decodeBase64Url(text) : null;
  const parsed = bytes === null ? null : parseStrictJson(bytes);
  if (parsed?.kind !== 'json') return null;
  const challenge = member(parsed.value, 'challenge');
  // Ours are short; a longer or stranger text never reaches the store.
  if (typeof challenge !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(challenge)) return null;
  const crossOrigin = member(parsed.value, 'crossOrigin');
  const isAlone = crossOrigin === undefined || crossOrigin === false;
  return { challenge, isEmbedded: !isAlone || member(parsed.value, 'topOrigin') !== undefined };
}

export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}
