/** The URL template of an HTTP source, filled with values of the intent. */
import { UnusableMember } from './failures.ts';

export interface Address {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

export type ReadAddress = Address | { readonly fault: string };

const PLACE = /\{([^{}]*)\}/g;
/** The scheme and the host are fixed: nothing before the first slash after them may be filled in. */
const FIXED = /^https?:\/\/[^/?#\\{}@\s]+(?:[/?]|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const REFUSED = /[/\\%?#;\u0000-\u001f\u007f-\u009f]/;

export function readAddress(template: string): ReadAddress {
  if (!FIXED.test(template)) {
    return {
      fault:
        'must be an http or https address whose host is fixed, without credentials, such as https://host/records/{objectRef}',
    };
  }
  const texts = template.replaceAll(PLACE, '{}').split('{}');
  const names = [...template.matchAll(PLACE)].map(([, name]) => name!);
  if (texts.some((text) => /[{}]/.test(text))) return { fault: 'has a brace that is not part of {NAME}' };
  if (template.includes('#')) return { fault: 'must not have a fragment' };
  if (!URL.canParse(joined(texts, () => 'x'))) return { fault: 'is not an address' };
  return { texts, names };
}

/** Throws an `UnusableMember` for a value that could lead elsewhere. */
export function filledAddress({ texts, names }: Address, value: (name: string) => string): string {
  const filled = joined(texts, (place) => segment(names[place]!, value(names[place]!)));
  const expected = new URL(joined(texts, () => 'x'));
  const url = URL.canParse(filled) ? new URL(filled) : null;
  // INVARIANT: nothing in the intent changes scheme, host or depth, whatever the template puts around a value.
  if (url === null || url.origin !== expected.origin || depthOf(url) !== depthOf(expected))
    throw new UnusableMember(
      `/${(names[0] ?? '').replaceAll('.', '/')}`,
      'has a value that would lead to another address',
    );
  return url.href;
}

function segment(name: string, value: string): string {
  if (value === '' || value === '.' || value === '..' || REFUSED.test(value)) {
    throw new UnusableMember(
      `/${name.replaceAll('.', '/')}`,
      'cannot be part of an address: it is empty, `.` or `..`, or has one of / \\ % ? # ; or a control character',
    );
  }
  return encodeURIComponent(value);
}

function joined(texts: readonly string[], value: (place: number) => string): string {
  return texts.reduce((text, next, place) => `${text}${value(place - 1)}${next}`);
}

function depthOf({ pathname }: URL): number {
  return pathname.split('/').length;
}
