/** Finds the first place at which a text is not strict JSON: slow and exact, called only where doubt has arisen. */
import { pointerTo } from './json-pointer.ts';

export interface JsonFault {
  /** In UTF-16 code units of the text. */
  readonly offset: number;
  /** The innermost value the fault lies in. */
  readonly pointer: string;
  readonly message: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Null where the text is strict JSON and no deeper than `maxDepth`. */
export function findJsonFault(text: string, maxDepth: number): JsonFault | null {
  let at = 0;
  let fault: JsonFault | null = null;

  function fail(offset: number, pointer: string, message: string): false {
    fault = { offset, pointer, message };
    return false;
  }

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }

  function unexpected(pointer: string, wanted: string): false {
    if (at >= text.length) return fail(at, pointer, `the body ends where ${wanted} should be`);
    const character = String.fromCodePoint(text.codePointAt(at)!);
    return fail(at, pointer, `${JSON.stringify(character)} stands where ${wanted} should be`);
  }

  /** The string's value, or null after a fault. Stands at the opening quote. */
  function readString(pointer: string): string | null {
    const start = at;
    at += 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        const escapeAt = at;
        if (match(ESCAPE) === null) {
          fail(escapeAt, pointer, 'a backslash begins no known escape');
          return null;
        }
      } else if (code >= 0x20) {
        at += 1;
      } else if (at >= text.length) {
        fail(start, pointer, 'the string that begins here has no end');
        return null;
      } else {
        fail(at, pointer, 'a control character stands in a string without being escaped');
        return null;
      }
    }
    at += 1;
    const value: string = JSON.parse(text.slice(start, at));
    if (value.isWellFormed()) return value;
    fail(start, pointer, 'the string that begins here holds a lone surrogate');
    return null;
  }

  function readNumber(pointer: string): boolean {
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
    return true;
  }

  function readArray(pointer: string, depth: number): boolean {
    at += 1;
    match(SPACE);
    if (text[at] === ']') {
      at += 1;
      return true;
    }
    for (let index = 0; ; index += 1) {
      if (!readValue(pointerTo(pointer, index), depth)) return false;
      if (text[at] === ']') {
        at += 1;
        return true;
      }
      if (text[at] !== ',') return unexpected(pointer, '`,` or `]`');
      at += 1;
    }
  }

  function readObject(pointer: string, depth: number): boolean {
    const names = new Set<string>();
    at += 1;
    match(SPACE);
    if (text[at] === '}') {
      at += 1;
      return true;
    }
    for (;;) {
      match(SPACE);
      const nameAt = at;
      if (text[at] !== '"') return unexpected(pointer, 'a member name');
      const name = readString(pointer);
      if (name === null) return false;
      if (names.has(name)) return fail(nameAt, pointer, `the member \`${name}\` is there twice`);
      if (name === '__proto__') return fail(nameAt, pointer, 'a member must not be named `__proto__`');
      names.add(name);
      match(SPACE);
      if (text[at] !== ':') return unexpected(pointer, '`:`');
      at += 1;
      if (!readValue(pointerTo(pointer, name), depth)) return false;
      if (text[at] === '}') {
        at += 1;
        return true;
      }
      if (text[at] !== ',') return unexpected(pointer, '`,` or `}`');
      at += 1;
    }
  }

  /** Takes the space on both sides with it. `depth` counts the containers around the value. */
  function readValue(pointer: string, depth: number): boolean {
    match(SPACE);
    const first = text[at];
    let isGood: boolean;
    if (first === '{' || first === '[') {
      if (depth >= maxDepth) return fail(at, pointer, `the body is nested deeper than ${maxDepth} levels`);
      isGood = first === '{' ? readObject(pointer, depth + 1) : readArray(pointer, depth + 1);
    } else if (first === '"') {
      isGood = readString(pointer) !== null;
    } else {
      isGood = match(LITERAL) !== null || readNumber(pointer);
    }
    match(SPACE);
    return isGood;
  }

  if (readValue('', 0) && at < text.length) unexpected('', 'the end of the body');
  return fault;
}
