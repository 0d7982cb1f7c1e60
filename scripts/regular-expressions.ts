/** Finds every regular expression in sources that handle input, for analysis. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundExpression {
  /** The place as `file:line`. */
  readonly place: string;
  /** Null if it is built at run time, which is an error because it cannot be analysed. */
  readonly expression: { readonly source: string; readonly flags: string } | null;
}

const ROOT = new URL('..', import.meta.url).pathname;
const SOURCES = ['packages/*/src/**/*.{ts,tsx}', 'examples/**/*.ts'];
const NOT_SHIPPED = /\.test\.ts$|node_modules/;

export function expressionsInSources(): readonly FoundExpression[] {
  return globSync(SOURCES, { cwd: ROOT })
    .filter((file) => !NOT_SHIPPED.test(file))
    .sort()
    .flatMap((file) => expressionsIn(file, readFileSync(ROOT + file, 'utf8')));
}

/** Uses a parser, because a slash may also be a division or part of a string or markup. */
export function expressionsIn(file: string, text: string): readonly FoundExpression[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: FoundExpression[] = [];
  const visit = (node: ts.Node): void => {
    const expression = expressionOf(node);
    if (expression !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${line + 1}`, expression });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function expressionOf(node: ts.Node): FoundExpression['expression'] | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && isRegExp(node.expression);
  return isMade ? null : undefined;
}

function isRegExp(callee: ts.Expression): boolean {
  return /^(?:globalThis\.)?RegExp$/.test(callee.getText());
}
