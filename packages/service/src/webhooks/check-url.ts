/** Judges what a webhook's URL shows by itself; where a name leads is judged at every connection. */
import { isIP } from 'node:net';
import type { AllowedTargets } from '../config/allowed-targets.ts';
import { isGloballyReachable } from './addresses.ts';

export const URL_CHARACTERS_MAX = 2_048;
/** Excludes everything that a reader cannot see, or that a URL parser would silently drop. */
const WRITTEN = /^[^\p{C}\p{Z}]+$/u;

/** The host as `net` spells it: an IPv6 address has no brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Null if the URL may be used; otherwise what is wrong with it. */
export function faultOfUrl(text: string, allowed: AllowedTargets): string | null {
  if (text.length > URL_CHARACTERS_MAX || !WRITTEN.test(text) || !URL.canParse(text))
    return `must be an https URL of at most ${URL_CHARACTERS_MAX} characters`;
  const url = new URL(text);
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  const isAllowed = allowed.allowsHost(host) || (isAddress && allowed.allowsAddress(host));
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  // A name may have an address in an allowed range, which only a connection shows.
  const mayBeHttp = isAllowed || (!isAddress && allowed.hasRanges);
  if (url.protocol === 'http:' && !mayBeHttp)
    return 'must use https; the operator can allow http for a host with `WRITECHECK_WEBHOOK_ALLOW`';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; the signature shows who sends';
  if (isAddress && !isAllowed && !isGloballyReachable(host))
    return 'must not name a private or reserved address; the operator can allow it with `WRITECHECK_WEBHOOK_ALLOW`';
  return null;
}
