/** The slow, exact reader of strict JSON; locates the first error. Runs only if the fast path is in doubt. */
import { pointerTo } from './json-pointer.ts';
import { shortened } from './shown-input.ts';
import type { JsonValue } from './write-intent.ts';

export interface JsonFault {
  readonly kind: 'fault';
  /** The place in the text, in UTF-16 code units. */
  readonly offset: number;
  /** The innermost value that contains the error. */
  readonly pointer: string;
  readonly message: string;
}

export type ReadJson = { readonly kind: 'json'; readonly value: JsonValue } | JsonFault;

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
  let fault: JsonFault | null = null;
  /** The names and indexes that lead to the current value. */
  const path: (string | number)[] = [];

  /** Every reader below returns undefined after an error, which ends the reading. */
  function fail(offset: number, message: string): undefined {
    fault = { kind: 'fault', offset, pointer: path.reduce<string>(pointerTo, ''), message };
  }

  function unexpected(wanted: string): undefined {
    if (at >= text.length) return fail(at, `expected ${wanted} but the body ends`);
    const character = String.fromCodePoint(text.codePointAt(at)!);
    return fail(at, `expected ${wanted} but found ${JSON.stringify(character)}`);
  }

  function skipSpace(): void {
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  }

  function skip(character: string): boolean {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }

  /** Starts at the opening quote. */
  function readString(): string | undefined {
    const start = at;
    at += 1;
    while (text[at] !== '"') {
      if (at >= text.length) return fail(start, 'the string that starts here is not closed');
      if (text[at] === '\\') {
        if (match(ESCAPE) === null) return fail(at, 'invalid escape after a backslash');
      } else if (text[at]! < ' ') {
        return fail(at, 'a control character in a string must be escaped');
      } else {
        at += 1;
      }
    }
    at += 1;
    const value: string = JSON.parse(text.slice(start, at));
    if (value.isWellFormed()) return value;
    return fail(start, 'the string that starts here contains a lone surrogate');
  }

  function readNumber(): number | undefined {
    const start = at;
    const found = match(NUMBER);
    if (found === null) return unexpected('a value');
    const [digits, fraction, exponent] = found;
    const value = Number(digits);
    if (!Number.isFinite(value)) return fail(start, 'the number is too large');
    const isInteger = fraction === undefined && exponent === undefined;
    if (isInteger && !Number.isSafeInteger(value)) {
      return fail(start, 'the integer is beyond 2^53 - 1, send it as a string');
    }
    return value;
  }

  /** Starts after the bracket. */
  function readArray(): JsonValue | undefined {
    const elements: JsonValue[] = [];
    skipSpace();
    if (skip(']')) return elements;
    for (;;) {
      const element = readInside(elements.length);
      if (element === undefined) return undefined;
      elements.push(element);
      if (skip(']')) return elements;
      if (!skip(',')) return unexpected('`,` or `]`');
    }
  }

  /** Starts after the brace. */
  function readObject(): JsonValue | undefined {
    const members: { [name: string]: JsonValue } = {};
    skipSpace();
    if (skip('}')) return members;
    for (;;) {
      skipSpace();
      const nameAt = at;
      if (text[at] !== '"') return unexpected('a member name');
      const name = readString();
      if (name === undefined) return undefined;
      if (name === '__proto__') return fail(nameAt, 'a member must not be named `__proto__`');
      if (Object.hasOwn(members, name))
        return fail(nameAt, `the member \`${shortened(name)}\` appears twice`);
      skipSpace();
      if (!skip(':')) return unexpected('`:`');
      const value = readInside(name);
      if (value === undefined) return undefined;
      members[name] = value;
      if (skip('}')) return members;
      if (!skip(',')) return unexpected('`,` or `}`');
    }
  }

  function readInside(step: string | number): JsonValue | undefined {
    path.push(step);
    const value = readValue();
    path.pop();
    return value;
  }

  /** Skips the space on both sides. */
  function readValue(): JsonValue | undefined {
    skipSpace();
    const value = readBareValue();
    skipSpace();
    return value;
  }

  function readBareValue(): JsonValue | undefined {
    if (text[at] === '"') return readString();
    if (text[at] === '[' || text[at] === '{') {
      // INVARIANT: each step of the path is one container, so the path is as long as the depth.
      if (path.length >= maxDepth) return fail(at, `the body is nested deeper than ${maxDepth} levels`);
      const isArray = text[at] === '[';
      at += 1;
      return isArray ? readArray() : readObject();
    }
    const literal = match(LITERAL);
    return literal === null ? readNumber() : LITERALS.get(literal[0]);
  }

  const value = readValue();
  if (value !== undefined && at < text.length) unexpected('the end of the body');
  return fault ?? { kind: 'json', value: value! };
}
