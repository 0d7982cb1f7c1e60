/** RFC 8785: the one spelling of a JSON value that digests and comparisons are made of. */
import canonicalize from 'canonicalize';

const PLAIN_DEPTH = 40;

/** Throws for what is not JSON, a lone surrogate included: such a value must have been refused before. */
export function canonicalJson(value: unknown): string {
  const text = plainForm(value, PLAIN_DEPTH) ?? canonicalize(value);
  if (text === undefined) throw new TypeError('only a JSON value has a canonical form');
  return text;
}

/** The same several times faster for what nearly everything is; null where there is anything to think about. */
function plainForm(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : null;
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : null;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object' || depthLeft === 0) return null;
  if (Array.isArray(value)) return plainArray(value, depthLeft);
  if (Object.getPrototypeOf(value) !== Object.prototype) return null;
  let members = '';
  // Names are sorted by their UTF-16 code units, which is what a plain sort does.
  for (const name of Object.keys(value).sort()) {
    const form = plainForm((value as { readonly [name: string]: unknown })[name], depthLeft - 1);
    if (form === null || !name.isWellFormed()) return null;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${form}`;
  }
  return `{${members}}`;
}

function plainArray(values: readonly unknown[], depthLeft: number): string | null {
  let elements = '';
  for (let i = 0; i < values.length; i += 1) {
    const form = plainForm(values[i], depthLeft - 1);
    if (form === null) return null;
    elements += i === 0 ? form : `,${form}`;
  }
  return `[${elements}]`;
}
