/**
 * Rules that the formatter cannot enforce: the length of files, the form of functions and literals, the
 * spelling of limits, named exports, the files that comments name.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const LINES_MAX = 400;

const written = globSync('{packages,bench,scripts,conformance,deploy,examples}/**/*.{ts,tsx,sql,css}', {
  cwd: ROOT,
  exclude: (name) => /(?:^|\/)(?:node_modules|dist)$/.test(name),
}).sort();
const all = written.filter((file) => /\.tsx?$/.test(file));
const sources = all.filter((file) => /^packages\/[^/]+\/src\//.test(file) && !/\.test\.tsx?$/.test(file));
const notTests = all.filter((file) => !/\.test\.tsx?$|\/test\//.test(file));
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test(`no source file is longer than ${LINES_MAX} lines`, () => {
  expect(sources.length).toBeGreaterThan(300);
  const long = sources.filter((file) => textOf(file).split('\n').length - 1 > LINES_MAX);
  expect(long).toEqual([]);
});

test('a named function is declared as one', () => {
  const found = sources.flatMap((file) => arrowsOf(file).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

/** Top-level constants that hold a function; one with a type of its own may need to be. */
function arrowsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest);
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter(
      ({ type, initializer }) =>
        type === undefined && initializer !== undefined && ts.isArrowFunction(initializer),
    )
    .map(({ name }) => (ts.isIdentifier(name) ? name.text : '?'));
}

test('no literal is spread into a literal: its members are written out', () => {
  const found = notTests
    .filter((file) => /\.\.\.\(?[{[]/.test(textOf(file)))
    .flatMap((file) => spreadsOf(file).map((line) => `${file}:${line}`));
  expect(found).toEqual([]);
});

function spreadsOf(file: string): readonly number[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) &&
      isLiteral(node.expression, ts.isSpreadAssignment(node))
    )
      lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

function isLiteral(expression: ts.Expression, ofObject: boolean): boolean {
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return isLiteral(expression.expression, ofObject);
  return ofObject ? ts.isObjectLiteralExpression(expression) : ts.isArrayLiteralExpression(expression);
}

test('a package names what it exports', () => {
  expect(sources.filter((file) => /^export \*/m.test(textOf(file)))).toEqual([]);
});

test('no test generates its cases at random: properties use our fast-check, which has a seed', () => {
  expect(all.filter((file) => /^import .* from 'fast-check';$/m.test(textOf(file)))).toEqual([
    'scripts/fast-check.ts',
  ]);
});

test('a comment that names a case of the micro benchmark names one that exists', () => {
  const cases = all
    .filter((file) => /^bench\/src\/micro.*cases\.ts$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/name: '([\w-]+):/g)].map(([, name]) => name!));
  const named = sources.flatMap((file) =>
    [...textOf(file).matchAll(/bench -- micro`,[\s*]+case[\s*]+`([\w-]+)`/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !cases.includes(name))).toEqual([]);
  expect(cases.filter((name) => !named.includes(name))).toEqual([]);
});

test('a file that a comment names exists', () => {
  const named = written.flatMap((file) =>
    [...textOf(file).matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)]
      .flatMap(([comment]) => [...comment.matchAll(/`([\w@./-]+\.(?:tsx?|sql|css))`/g)])
      .map(([, name]) => ({ file, name: name! })),
  );
  expect(named.length).toBeGreaterThan(10);
  const isThere = (name: string) => written.some((file) => `/${file}`.endsWith(`/${name}`));
  expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
});

test('a limit is spelled with its unit first and `_MAX` last', () => {
  const DECLARED = /\b(?:const|let|readonly) ([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g;
  const OTHERWISE = /^(?:MAX|MOST|LONGEST|LARGEST|LIMIT)_|_(?:MOST|LIMIT)(?:_|$)|_MAX_/;
  // The member `maxAge` of a control is not a limit.
  const MAX_AGE = /^MAX_AGES?(?:_MS)?$/;
  const found = all.flatMap((file) =>
    [...textOf(file).matchAll(DECLARED)]
      .map(([, name]) => name!)
      .filter((name) => OTHERWISE.test(name) && !MAX_AGE.test(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});
