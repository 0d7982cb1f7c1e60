/** Finds every regular expression in the sources that meet input, so that each can be analysed. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundExpression {
  /** As `file:line`. */
  readonly place: string;
  /** Null if only running the program would tell, which is a fault: then nobody can analyse it. */
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

/** The parser decides what is a regular expression: a slash may also divide, or stand in a string or in markup. */
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
