/** RFC 8785: the canonical text of a JSON value, for digests and comparisons. */
import canonicalize from 'canonicalize';

const PLAIN_DEPTH = 40;

/** Throws if the value is not JSON, for example a lone surrogate; callers must have refused it before. */
export function canonicalJson(value: unknown): string {
  const text = plainForm(value) ?? canonicalize(value);
  if (text === undefined) throw new TypeError('only a JSON value has a canonical form');
  return text;
}

/** A fast path for plain values; null for anything unusual. */
function plainForm(value: unknown): string | null {
  const ordered = inOrder(value, PLAIN_DEPTH);
  return ordered === undefined ? null : JSON.stringify(ordered);
}

/**
 * The value with its names sorted, so that JSON.stringify writes it as RFC 8785 does; the value itself if it is sorted
 * already. Undefined for anything unusual.
 */
export function inOrder(value: unknown, depthLeft = PLAIN_DEPTH): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depthLeft === 0) return undefined;
  if (Array.isArray(value)) return elementsInOrder(value, depthLeft);
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const names = Object.keys(value);
  let isAsBefore = true;
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i]!;
    // A copy would move numeric names to the front, and `__proto__` would set its prototype.
    if (/^\d/.test(name) || name === '__proto__' || !name.isWellFormed()) return undefined;
    if (i > 0 && name < names[i - 1]!) isAsBefore = false;
  }
  // RFC 8785 sorts names by UTF-16 code units, as a plain sort does.
  if (!isAsBefore) names.sort();
  const members = value as { readonly [name: string]: unknown };
  const copy: { [name: string]: unknown } = {};
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i]!;
    const member = inOrder(members[name], depthLeft - 1);
    if (member === undefined) return undefined;
    if (member !== members[name]) isAsBefore = false;
    copy[name] = member;
  }
  return isAsBefore ? value : copy;
}

function elementsInOrder(values: readonly unknown[], depthLeft: number): unknown {
  const copy: unknown[] = [];
  for (let i = 0; i < values.length; i += 1) {
    const element = inOrder(values[i], depthLeft - 1);
    if (element === undefined) return undefined;
    copy.push(element);
  }
  return copy;
}
