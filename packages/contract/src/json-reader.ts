/** Reads strict JSON slowly and exactly, and names the first place at which a text is not: called only where doubt has arisen. */
import { pointerTo } from './json-pointer.ts';
import type { JsonValue } from './write-intent.ts';

export type ReadJson =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | {
      readonly kind: 'fault';
      /** In UTF-16 code units of the text. */
      readonly offset: number;
      /** The innermost value the fault lies in. */
      readonly pointer: string;
      readonly message: string;
    };

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERALS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export function readJson(text: string, maxDepth: number): ReadJson {
  let at = 0;
  let fault: ReadJson | null = null;

  /** Every reader below returns undefined after a fault, and then nothing more is read. */
  function fail(offset: number, pointer: string, message: string): undefined {
    fault = { kind: 'fault', offset, pointer, message };
  }

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }

  function unexpected(pointer: string, wanted: string): undefined {
    if (at >= text.length) return fail(at, pointer, `the body ends where ${wanted} should be`);
    const character = String.fromCodePoint(text.codePointAt(at)!);
    return fail(at, pointer, `${JSON.stringify(character)} stands where ${wanted} should be`);
  }

  function skip(character: string): boolean {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  /** Stands at the opening quote. */
  function readString(pointer: string): string | undefined {
    const start = at;
    at += 1;
    while (text[at] !== '"') {
      if (at >= text.length) return fail(start, pointer, 'the string that begins here has no end');
      if (text[at] === '\\') {
        if (match(ESCAPE) === null) return fail(at, pointer, 'a backslash begins no known escape');
      } else if (text.charCodeAt(at) < 0x20) {
        return fail(at, pointer, 'a control character stands in a string without being escaped');
      } else {
        at += 1;
      }
    }
    at += 1;
    const value: string = JSON.parse(text.slice(start, at));
    if (value.isWellFormed()) return value;
    return fail(start, pointer, 'the string that begins here holds a lone surrogate');
  }

  function readNumber(pointer: string): number | undefined {
    const start = at;
    const found = match(NUMBER);
    if (found === null) return unexpected(pointer, 'a value');
    const [digits, fraction, exponent] = found;
    const value = Number(digits);
    if (!Number.isFinite(value)) return fail(start, pointer, 'the number is too large to be finite');
    const isInteger = fraction === undefined && exponent === undefined;
    if (isInteger && !Number.isSafeInteger(value)) {
      return fail(start, pointer, 'the integer is beyond 2^53 - 1, send it as a string');
    }
    return value;
  }

  /** Stands behind the bracket. */
  function readArray(pointer: string, depth: number): JsonValue | undefined {
    const elements: JsonValue[] = [];
    match(SPACE);
    if (skip(']')) return elements;
    for (;;) {
      const element = readValue(pointerTo(pointer, elements.length), depth);
      if (element === undefined) return undefined;
      elements.push(element);
      if (skip(']')) return elements;
      if (!skip(',')) return unexpected(pointer, '`,` or `]`');
    }
  }

  /** Stands behind the brace. */
  function readObject(pointer: string, depth: number): JsonValue | undefined {
    const members: { [name: string]: JsonValue } = {};
    match(SPACE);
    if (skip('}')) return members;
    for (;;) {
      match(SPACE);
      const nameAt = at;
      if (text[at] !== '"') return unexpected(pointer, 'a member name');
      const name = readString(pointer);
      if (name === undefined) return undefined;
      if (name === '__proto__') return fail(nameAt, pointer, 'a member must not be named `__proto__`');
      if (Object.hasOwn(members, name)) return fail(nameAt, pointer, `the member \`${name}\` is there twice`);
      match(SPACE);
      if (!skip(':')) return unexpected(pointer, '`:`');
      const value = readValue(pointerTo(pointer, name), depth);
      if (value === undefined) return undefined;
      members[name] = value;
      if (skip('}')) return members;
      if (!skip(',')) return unexpected(pointer, '`,` or `}`');
    }
  }

  /** Takes the space on both sides with it. `depth` counts the containers around the value. */
  function readValue(pointer: string, depth: number): JsonValue | undefined {
    match(SPACE);
    const value = readBareValue(pointer, depth);
    match(SPACE);
    return value;
  }

  function readBareValue(pointer: string, depth: number): JsonValue | undefined {
    if (text[at] === '"') return readString(pointer);
    if (text[at] === '[' || text[at] === '{') {
      if (depth >= maxDepth) return fail(at, pointer, `the body is nested deeper than ${maxDepth} levels`);
      const isArray = text[at] === '[';
      at += 1;
      return isArray ? readArray(pointer, depth + 1) : readObject(pointer, depth + 1);
    }
    const literal = match(LITERAL);
    return literal === null ? readNumber(pointer) : LITERALS.get(literal[0]);
  }

  const value = readValue('', 0);
  if (value !== undefined && at < text.length) unexpected('', 'the end of the body');
  return fault ?? { kind: 'json', value: value! };
}
