/** RFC 8785: the one spelling of a JSON value that digests and comparisons are made of. */
import canonicalize from 'canonicalize';

/** Throws for what is not JSON, a lone surrogate included: such a value must have been refused before. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('only a JSON value has a canonical form');
  return text;
}
