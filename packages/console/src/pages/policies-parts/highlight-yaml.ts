/** Colours for YAML, line by line: enough to read by, and nothing that has to be right. */

export type TokenKind = 'plain' | 'comment' | 'name' | 'text' | 'literal' | 'mark' | 'kind';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const PARTS =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<text>"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|(?<name>[A-Za-z_][\w.-]*(?=:(?:\s|$)))|(?<mark>[{}[\],:]|^\s*-(?=\s)|(?<=-\s+)-(?=\s))|(?<literal>(?<![\w-])(?:true|false|null|-?\d+(?:\.\d+)?[smhd]?)(?![\w-]))/g;

/** A text that goes on over several lines after `|` or `>` is told apart by its indentation. */
export function highlightYaml(text: string): readonly (readonly Token[])[] {
  let blockIndent: number | null = null;
  return text.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    const isBlank = line.trim() === '';
    if (blockIndent !== null && (isBlank || indent > blockIndent)) return [{ kind: 'text', text: line }];
    blockIndent =
      /(?:^|[:\s-])[|>][+-]?\d*\s*(?:#.*)?$/.test(line) && !line.trim().startsWith('#') ? indent : null;
    return lineTokens(line);
  });
}

function lineTokens(line: string): readonly Token[] {
  if (/^(?:---|\.\.\.)(?:\s|$)/.test(line)) return [{ kind: 'mark', text: line }];
  const tokens: Token[] = [];
  let at = 0;
  const isKind = /^kind:\s/.test(line);
  for (const match of line.matchAll(PARTS)) {
    if (match.index > at) tokens.push({ kind: isKind ? 'kind' : 'plain', text: line.slice(at, match.index) });
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!;
    tokens.push({ kind: kind as TokenKind, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < line.length) tokens.push({ kind: isKind ? 'kind' : 'plain', text: line.slice(at) });
  return tokens;
}
