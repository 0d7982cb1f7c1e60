/** Checks the text of a webhook's URL; the address behind a host name is checked at every connection. */
import { isIP } from 'node:net';
import { WEBHOOK_URL_CHARACTERS_MAX } from '@writecheck/api';
import type { AllowedTargets } from '../../support/config/allowed-targets.ts';
import { isGloballyReachable } from './addresses.ts';

/** Excludes characters that are invisible, or that a URL parser would silently drop. */
const WRITTEN = /^[^\p{C}\p{Z}]+$/u;

/** The host as `net` spells it: an IPv6 address has no brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** A URL parser also takes `https:host` and `https:///host`, but a reader would not know where they lead. */
const WITH_HOST = /^https?:\/\/[^/\\?#@:]/i;
/** These names mean this machine, whatever a name server says. */
const LOOPBACK_NAME = 'localhost';
const LOOPBACK = ['127.0.0.1', '::1'];

/** Null if the URL may be used; otherwise what is wrong with it. */
export function faultOfUrl(text: string, allowed: AllowedTargets): string | null {
  if (text.length > WEBHOOK_URL_CHARACTERS_MAX || !WRITTEN.test(text) || !URL.canParse(text))
    return `must be an https URL of at most ${WEBHOOK_URL_CHARACTERS_MAX} characters`;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; the signature shows who sends';
  if (!WITH_HOST.test(text)) return 'must name a host after `https://`';
  if (url.port === '0') return 'must not have port 0; nothing can listen there';
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  const isAllowed = allowed.allowsHost(host) || addressesShownBy(host).some(allowed.allowsAddress);
  if (url.protocol === 'http:' && !isAllowed)
    return 'must use https; the operator can allow http for a host with `WRITECHECK_WEBHOOK_ALLOW`';
  if (isAddress && !isAllowed && !isGloballyReachable(host))
    return 'must not name a private or reserved address; the operator can allow it with `WRITECHECK_WEBHOOK_ALLOW`';
  return null;
}

function addressesShownBy(host: string): readonly string[] {
  if (isIP(host) !== 0) return [host];
  return host === LOOPBACK_NAME || host.endsWith(`.${LOOPBACK_NAME}`) ? LOOPBACK : [];
}
