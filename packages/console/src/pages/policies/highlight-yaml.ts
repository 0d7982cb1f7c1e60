/** Colours YAML line by line; a help for reading, not a parser. */

type TokenKind = 'plain' | 'comment' | 'name' | 'text' | 'literal' | 'mark' | 'kind';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const PARTS =
  /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?|"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[\w.-]+|[{}[\],:#]/gs;
const LITERAL = /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?|true|false|null|-?\d+(?:\.\d+)?[smhd]?)$/;

/** Recognizes block text after `|` or `>` by its indentation. */
export function highlightYaml(text: string): readonly (readonly Token[])[] {
  let blockIndent: number | null = null;
  return text.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    const isBlank = line.trim() === '';
    if (blockIndent !== null && (isBlank || indent > blockIndent)) return [{ kind: 'text', text: line }];
    blockIndent =
      /(?:^|[:\s-])[|>][+-]?\d*\s*(?:#.*)?$/s.test(line) && !line.trim().startsWith('#') ? indent : null;
    return lineTokens(line);
  });
}

function lineTokens(line: string): readonly Token[] {
  if (/^(?:---|\.\.\.)(?:\s|$)/.test(line)) return [{ kind: 'mark', text: line }];
  const tokens: Token[] = [];
  let at = 0;
  const isKind = /^kind:\s/.test(line);
  for (const { 0: found, index } of line.matchAll(PARTS)) {
    const kind = kindOf(found, line, index);
    if (kind === null) continue;
    if (index > at) tokens.push({ kind: isKind ? 'kind' : 'plain', text: line.slice(at, index) });
    const text = kind === 'comment' ? line.slice(index) : found;
    tokens.push({ kind, text });
    at = index + text.length;
    if (kind === 'comment') break;
  }
  if (at < line.length) tokens.push({ kind: isKind ? 'kind' : 'plain', text: line.slice(at) });
  return tokens;
}

/** The kind of a part, from its text and its neighbours; null for plain text. */
function kindOf(part: string, line: string, index: number): TokenKind | null {
  const next = line[index + part.length] ?? ' ';
  if (part === '#') return index === 0 || isSpace(line[index - 1]!) ? 'comment' : null;
  if (part === '-') return isSpace(next) && isListMark(line, index) ? 'mark' : null;
  if (part.startsWith('"') || part.startsWith("'")) return 'text';
  if (LITERAL.test(part)) return 'literal';
  if (!/^[\w.-]/.test(part)) return 'mark';
  const afterNext = line[index + part.length + 1] ?? ' ';
  return /^[A-Za-z_]/.test(part) && next === ':' && isSpace(afterNext) ? 'name' : null;
}

/** Looks only at the start of a line, which keeps the check fast; lists nested deeper stay uncoloured. */
function isListMark(line: string, index: number): boolean {
  return index < 100 && /^[\s-]*$/.test(line.slice(0, index));
}

function isSpace(character: string): boolean {
  return character.trim() === '';
}
