/** Reads the members of a JSON object as text: numbers stay exactly as written, since `1.10` and `1.1` are two values. */
import { shown } from '@writecheck/contract';

export type FlatJson =
  | {
      readonly kind: 'members';
      /** Null for an object or array. */
      readonly members: ReadonlyMap<string, string | null>;
    }
  | { readonly kind: 'malformed'; readonly message: string };

const SPACE = /[ \t\n\r]*/y;
/** A control character must be escaped, so a string has none. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const MALFORMED: FlatJson = { kind: 'malformed', message: 'the line is not a JSON object' };

/** A name that occurs twice is refused, because two readers might see two changes. */
export function readFlatJson(text: string): FlatJson {
  const members = new Map<string, string | null>();
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return null;
    at = pattern.lastIndex;
    return found[0];
  };
  const skip = (character: string): boolean => {
    take(SPACE);
    const isThere = text[at] === character;
    if (isThere) at += 1;
    take(SPACE);
    return isThere;
  };
  if (!skip('{')) return MALFORMED;
  for (let isFirst = true; !skip('}'); isFirst = false) {
    if (!isFirst && !skip(',')) return MALFORMED;
    const name = take(STRING);
    if (name === null || !skip(':')) return MALFORMED;
    const value = text[at] === '{' || text[at] === '[' ? takeContainer() : takeValue();
    if (value === undefined) return MALFORMED;
    const key: string = JSON.parse(name);
    if (members.has(key)) return { kind: 'malformed', message: `the member \`${shown(key)}\` occurs twice` };
    members.set(key, value);
  }
  return at === text.length ? { kind: 'members', members } : MALFORMED;

  function takeValue(): string | undefined {
    const string = take(STRING);
    if (string !== null) {
      const value: string = JSON.parse(string);
      return value.isWellFormed() ? value : undefined;
    }
    const scalar = take(SCALAR);
    return scalar === 'null' ? '' : (scalar ?? undefined);
  }

  /** No change needs its content, so it only has to be valid JSON. */
  function takeContainer(): null | undefined {
    const start = at;
    let depth = 0;
    do {
      if (text[at] === '"') {
        if (take(STRING) === null) return undefined;
        continue;
      }
      if (text[at] === '{' || text[at] === '[') depth += 1;
      if (text[at] === '}' || text[at] === ']') depth -= 1;
      at += 1;
    } while (depth > 0 && at < text.length);
    try {
      JSON.parse(text.slice(start, at));
      return null;
    } catch {
      return undefined;
    }
  }
}
