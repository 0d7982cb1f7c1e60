/** Splits a condition into tokens: the lexical grammar of CEL, without bytes and unsigned numbers. */
import { quoted } from '../policy/faults.ts';

export type Token =
  | { readonly kind: 'int'; readonly value: bigint; readonly at: number }
  | { readonly kind: 'double'; readonly value: number; readonly at: number }
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'name'; readonly value: string; readonly at: number }
  | { readonly kind: 'sign'; readonly value: string; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

export interface SyntaxFault {
  /** Offset in code units. */
  readonly at: number;
  readonly message: string;
}

type Scanned =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  | ({ readonly kind: 'fault' } & SyntaxFault);

const BLANK = /[ \t\n\f\r]+/y;
const COMMENT = /\/\/[^\n]*/y;
const NUMBER = /(?:0x[0-9a-fA-F]+|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+)/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const SIGN = /&&|\|\||[<>=!]=|[<>!+\-*/%()[\]{}.,?:]/y;
const QUOTE = /([rR]?)("""|'''|"|')/y;
const BYTES = /(?:[bB][rR]?|[rR][bB])["']/y;

export function scan(source: string): Scanned {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const taken = pattern.exec(source);
    if (taken !== null) at = pattern.lastIndex;
    return taken;
  };
  for (;;) {
    while ((take(BLANK) ?? take(COMMENT)) !== null);
    const start = at;
    if (at === source.length) return { kind: 'tokens', tokens: [...tokens, { kind: 'end', at }] };
    if (take(BYTES) !== null) return fault(start, 'bytes are not allowed: write a string without the `b`');
    const quote = take(QUOTE);
    if (quote !== null) {
      const text = scanText(source, at, quote[2]!, quote[1] !== '');
      if (text.kind === 'fault') return text;
      tokens.push({ kind: 'string', value: text.value, at: start });
      at = text.end;
      continue;
    }
    const number = take(NUMBER)?.[0];
    if (number !== undefined) {
      if (/[uU]/.test(source[at] ?? ''))
        return fault(start, `unsigned numbers are not allowed: write ${quoted(number)}`);
      if (/[_a-zA-Z0-9]/.test(source[at] ?? ''))
        return fault(at, `unexpected \`${source[at]}\` after a number`);
      tokens.push(numberToken(number, start));
      continue;
    }
    const name = take(NAME)?.[0];
    const sign = name === undefined ? take(SIGN)?.[0] : undefined;
    if (name !== undefined) tokens.push({ kind: 'name', value: name, at: start });
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at: start });
    else return fault(start, explainCharacter(source, start));
  }
}

function numberToken(text: string, at: number): Token {
  return /^(?:0x|[0-9]+$)/.test(text)
    ? { kind: 'int', value: BigInt(text), at }
    : { kind: 'double', value: Number(text), at };
}

function explainCharacter(source: string, at: number): string {
  switch (source[at]) {
    case '&':
      return 'unexpected `&`: write `&&`';
    case '|':
      return 'unexpected `|`: write `||`';
    case '=':
      return 'unexpected `=`: write `==`';
    default:
      return `unexpected \`${String.fromCodePoint(source.codePointAt(at)!)}\``;
  }
}

function fault(at: number, message: string): { readonly kind: 'fault' } & SyntaxFault {
  return { kind: 'fault', at, message };
}

type Text =
  | { readonly kind: 'text'; readonly value: string; readonly end: number }
  | ({ readonly kind: 'fault' } & SyntaxFault);

/** Reads from after the opening quote to after the closing one. */
function scanText(source: string, from: number, quote: string, raw: boolean): Text {
  let value = '';
  let at = from;
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { kind: 'text', value, end: at + quote.length };
    const character = source[at]!;
    if (quote.length === 1 && (character === '\n' || character === '\r')) break;
    if (character !== '\\') {
      value += character;
      at += 1;
    } else if (raw) {
      // A raw string keeps its backslashes, and a quote after one does not close it.
      value += source.slice(at, at + 2);
      at += 2;
    } else {
      const escaped = readEscape(source, at);
      if (escaped === null) {
        const sequence = source.slice(at, at + 2).toWellFormed();
        return fault(at, `\`${sequence}\` is not an escape CEL knows: write \`\\\\\` for a backslash`);
      }
      value += escaped.value;
      at += escaped.length;
    }
  }
  return fault(from - quote.length, `the string has no closing \`${quote}\``);
}

const PLAIN_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['?', '?'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
]);
const CODE_ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(source: string, at: number): { readonly value: string; readonly length: number } | null {
  const plain = PLAIN_ESCAPES.get(source[at + 1] ?? '');
  if (plain !== undefined) return { value: plain, length: 2 };
  CODE_ESCAPE.lastIndex = at;
  const coded = CODE_ESCAPE.exec(source);
  if (coded === null) return null;
  const hex = coded[1] ?? coded[2] ?? coded[3];
  const point = hex === undefined ? Number.parseInt(coded[4]!, 8) : Number.parseInt(hex, 16);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return null;
  return { value: String.fromCodePoint(point), length: coded[0].length };
}
