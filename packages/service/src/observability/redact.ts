/** Cuts out of a text whatever looks like a secret, wherever it stands. */

/** Whole keys, and long pieces of them; bearer tokens of any kind; compact JWS such as attestations. */
const SECRETS =
  /wck_(dev|live|own)_[0-9A-Za-z]{6,}|\b(Bearer|Basic) +[\w.~+/=-]+|\beyJ[\w-]{8,}\.[\w-]+\.?[\w-]*|(\/\/[^\s:@/"]+):[^\s@/"]+@/gi;

export function redact(line: string): string {
  return line.replaceAll(SECRETS, (_match, kind?: string, scheme?: string, user?: string) => {
    if (kind !== undefined) return `wck_${kind}_[redacted]`;
    if (scheme !== undefined) return `${scheme} [redacted]`;
    return user === undefined ? '[redacted]' : `${user}:[redacted]@`;
  });
}
