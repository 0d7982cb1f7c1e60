/** A query with `:name` parameters, split where a driver needs its own placeholders. */

export interface SqlStatement {
  /** The text around the parameters: one more than there are names. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

export type ReadStatement = SqlStatement | { readonly fault: string };

const STRING = /'(?:[^']|'')*'/y;
/** PostgreSQL only: a backslash escapes. */
const ESCAPE_STRING = /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y;
const QUOTED_NAME = /"(?:[^"]|"")*"|`[^`]*`/y;
const LINE_COMMENT = /--[^\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y;
const WORD = /[A-Za-z_][A-Za-z0-9_$]*/y;
const CAST = /::/y;
const PARAMETER = /:(metadata(?:\.[A-Za-z_][A-Za-z0-9_]*)+|[A-Za-z_][A-Za-z0-9_]*)/y;

/** The drivers also refuse two statements; this reports it at the start, with the place. */
export function readStatement(query: string): ReadStatement {
  const texts: string[] = [];
  const names: string[] = [];
  let start = 0;
  let at = 0;
  let hasEnded = false;

  function skip(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(query);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }

  while (at < query.length) {
    const character = query[at]!;
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    if (skip(LINE_COMMENT) !== null || skip(BLOCK_COMMENT) !== null) continue;
    if (query.startsWith('/*', at)) return { fault: 'has a comment that does not end' };
    if (hasEnded) return { fault: 'has two statements; a control is read by one' };
    if (character === ';') {
      hasEnded = true;
      at += 1;
      continue;
    }
    if (skip(ESCAPE_STRING) !== null || skip(STRING) !== null || skip(QUOTED_NAME) !== null) continue;
    if (character === "'" || character === '"' || character === '`')
      return { fault: 'has a quote that does not end' };
    const dollar = skip(DOLLAR_QUOTE);
    if (dollar !== null) {
      const end = query.indexOf(dollar[0], at);
      if (end === -1) return { fault: 'has a quote that does not end' };
      at = end + dollar[0].length;
      continue;
    }
    if (skip(WORD) !== null || skip(CAST) !== null) continue;
    const before = at;
    const parameter = skip(PARAMETER);
    if (parameter === null) {
      at += 1;
      continue;
    }
    texts.push(query.slice(start, before));
    names.push(parameter[1]!);
    start = at;
  }
  texts.push(query.slice(start));
  return { texts, names };
}

export function statementText({ texts }: SqlStatement, placeholder: (place: number) => string): string {
  return texts.reduce((text, next, place) => `${text}${placeholder(place)}${next}`);
}
