/**
 * What is read on first use is kept as a promise: if only its result is kept, every request that arrives before the
 * first read ends starts another one.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const PACKAGES = join(import.meta.dirname, '../packages');

/** These look at something shared, wait, and then set it, and no number of requests repeats their work. */
const HARMLESS: readonly string[] = [
  // One timer runs each of them, and waits for the last run.
  'service/src/features/audit/continuations.ts: sets known',
  'service/src/features/audit/open-audit.ts: sign sets beside',
  'service/src/features/webhooks/deliverer.ts: #sweep sets this.#sweptAtMs',
  // It looks again after its last wait.
  'service/src/features/audit/log-notary.ts: newest sets this.#signing',
  'service/src/features/audit/log-notary.ts: #confirm sets this.#trusted',
  // One import at a time.
  // Only remembers which host answered.
  'store/src/postgres/connect.ts: onFirstHost sets preferred',
  // The writer appends one group at a time.
  'store/src/postgres/log-lease.ts: held sets this.#last',
  'store/src/postgres/log-lease.ts: held sets this.#held',
];

/** The names of such functions, each with what it sets. */
function lateSets(text: string): readonly string[] {
  if (!text.includes('await ')) return [];
  const found: string[] = [];
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && isAsync(node)) found.push(...lateSetsOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isAsync(node: ts.SignatureDeclaration): node is ts.FunctionLikeDeclaration {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function lateSetsOf(of: ts.FunctionLikeDeclaration, source: ts.SourceFile): readonly string[] {
  const own = new Set<string>();
  const collect = (node: ts.Node): void => {
    const declares = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if (declares && ts.isIdentifier(node.name)) own.add(node.name.text);
    ts.forEachChild(node, collect);
  };
  collect(of);
  /** Something that other calls share; null for anything else. */
  const sharedName = (node: ts.Node): string | null => {
    if (ts.isIdentifier(node)) return own.has(node.text) ? null : node.text;
    return ts.isPropertyAccessExpression(node) && node.expression.kind === ts.SyntaxKind.ThisKeyword
      ? `this.${node.name.getText(source)}`
      : null;
  };
  const found = new Set<string>();
  /** How many waits there were when each was last looked at without having been set since. */
  const seen = new Map<string, number>();
  let waits = 0;
  const set = (name: string | null): void => {
    if (name === null) return;
    const before = seen.get(name);
    if (before !== undefined && before < waits) found.add(name);
    seen.delete(name);
  };
  const walk = (node: ts.Node): void => {
    if (node !== of && ts.isFunctionLike(node)) return;
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) {
      const name = sharedName(node.left);
      if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken && name !== null && !seen.has(name))
        seen.set(name, waits);
      walk(node.right);
      return void set(name);
    }
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'set'
    ) {
      node.arguments.forEach(walk);
      return void set(sharedName(node.expression.expression));
    }
    const name = sharedName(node);
    if (name !== null) {
      if (!seen.has(name) && isLookedAt(node)) seen.set(name, waits);
      return;
    }
    ts.forEachChild(node, walk);
    if (ts.isAwaitExpression(node)) waits += 1;
  };
  walk(of);
  const named = ts.isVariableDeclaration(of.parent) ? of.parent : of;
  return Array.from(found, (name) => `${named.name?.getText(source) ?? ''} sets ${name}`.trim());
}

const CHOOSING: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]);

/** Whether what happens next depends on it. */
function isLookedAt(node: ts.Node): boolean {
  for (let at = node; at.parent !== undefined && ts.isExpression(at); at = at.parent) {
    const { parent } = at;
    if (ts.isIfStatement(parent) || ts.isConditionalExpression(parent)) return true;
    if (ts.isBinaryExpression(parent) && CHOOSING.has(parent.operatorToken.kind)) return true;
    if (ts.isPropertyAccessExpression(parent) && ['get', 'has'].includes(parent.name.text)) return true;
  }
  return false;
}

test.each([
  ['an assignment if it is empty', 'async function f() { kept ??= await read(); }', 'f sets kept'],
  ['a member', 'class A { async f() { this.#kept ||= await read(); } }', 'f sets this.#kept'],
  ['a comparison', 'const f = async () => { if (kept === null) kept = await read(); };', 'f sets kept'],
  [
    'an early return',
    'async function f() { if (kept) return kept; const a = await read(); kept = a; }',
    'f sets kept',
  ],
  ['a map', 'async function f(a) { if (!all.has(a)) all.set(a, await read(a)); }', 'f sets all'],
])('a result that is kept only after the wait is found: %s', (_shape, text, found) => {
  expect(lateSets(text)).toEqual([found]);
});

test.each([
  ['a promise', 'async function f() { kept ??= read(); return await kept; }'],
  ['what no other call shares', 'async function f() { let a = null; if (a === null) a = await read(); }'],
])('%s is not', (_shape, text) => {
  expect(lateSets(text)).toEqual([]);
});

test('nothing on the way of a request is kept only after a wait', () => {
  const files = globSync('{service,store,cli}/src/**/*.ts', { cwd: PACKAGES }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    lateSets(readFileSync(join(PACKAGES, file), 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(found.sort()).toEqual(HARMLESS.toSorted());
});
