/**
 * Tells whether a condition holds whenever another condition does; it can show that for comparisons of a path with
 * constants, and for chains of them.
 */
import { parseCondition } from '../conditions/parse.ts';
import { pathText } from '../conditions/path-text.ts';
import type { Node } from '../conditions/tree.ts';

/**
 * INVARIANT: shown only if both have the same shape and compare the same paths with constants of the same type.
 * Then the same intents are unreadable to both, and neither can fail or become unreadable while it is
 * evaluated.
 */
export function isAsWide(outer: string | undefined, inner: string | undefined): boolean {
  if (outer === undefined || outer === inner) return true;
  if (inner === undefined) return false;
  const [wide, narrow] = [parseCondition(outer), parseCondition(inner)];
  return wide.kind === 'tree' && narrow.kind === 'tree' && holdsWherever(wide.tree, narrow.tree);
}

function holdsWherever(outer: Node, inner: Node): boolean {
  if (isChain(outer) && isChain(inner) && outer.operator === inner.operator)
    return holdsWherever(outer.left, inner.left) && holdsWherever(outer.right, inner.right);
  const [wide, narrow] = [boundOf(outer), boundOf(inner)];
  if (wide !== null && narrow !== null) return isWiderBound(wide, narrow);
  const [more, fewer] = [textsOf(outer), textsOf(inner)];
  return more !== null && fewer !== null && areMoreTexts(more, fewer);
}

function isChain(node: Node): node is Node & { readonly kind: 'binary'; readonly operator: '&&' | '||' } {
  return node.kind === 'binary' && (node.operator === '&&' || node.operator === '||');
}

interface Bound {
  readonly path: string;
  /** Whether it holds for large numbers. */
  readonly isLower: boolean;
  readonly isIncluded: boolean;
  readonly at: number | bigint;
}

function isWiderBound(wide: Bound, narrow: Bound): boolean {
  if (wide.path !== narrow.path || wide.isLower !== narrow.isLower) return false;
  if (wide.isLower ? wide.at < narrow.at : wide.at > narrow.at) return true;
  // An integer and a double may be the same number.
  const isSame = !(wide.at < narrow.at) && !(wide.at > narrow.at);
  return isSame && (wide.isIncluded || !narrow.isIncluded);
}

const TURNED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function boundOf(node: Node): Bound | null {
  if (node.kind !== 'binary') return null;
  const { operator, left, right } = node;
  if (operator !== '<' && operator !== '<=' && operator !== '>' && operator !== '>=') return null;
  const isTurned = left.kind === 'literal';
  const [path, literal] = isTurned ? [right, left] : [left, right];
  if (path.kind !== 'path' || literal.kind !== 'literal') return null;
  const { value } = literal;
  if (typeof value !== 'number' && typeof value !== 'bigint') return null;
  const sign = isTurned ? TURNED[operator] : operator;
  return {
    path: pathText(path.root, path.members),
    isLower: sign === '>' || sign === '>=',
    isIncluded: sign === '>=' || sign === '<=',
    at: value,
  };
}

interface Texts {
  readonly path: string;
  /** Whether it holds for exactly these texts; otherwise it holds for all others. */
  readonly areMeant: boolean;
  readonly texts: ReadonlySet<string>;
}

function areMoreTexts(more: Texts, fewer: Texts): boolean {
  if (more.path !== fewer.path) return false;
  const has = (set: ReadonlySet<string>) => (text: string) => set.has(text);
  if (fewer.areMeant)
    return more.areMeant ? [...fewer.texts].every(has(more.texts)) : ![...fewer.texts].some(has(more.texts));
  return !more.areMeant && [...more.texts].every(has(fewer.texts));
}

/** Reads `path == "a"`, `path != "a"`, `path in ["a", "b"]` and `!(path in ["a", "b"])`. */
function textsOf(node: Node): Texts | null {
  if (node.kind === 'unary' && node.operator === '!') {
    const negated = textsOf(node.operand);
    return negated === null ? null : { ...negated, areMeant: !negated.areMeant };
  }
  if (node.kind !== 'binary') return null;
  const { operator, left, right } = node;
  if (operator === 'in') {
    if (left.kind !== 'path' || right.kind !== 'list' || right.elements.length === 0) return null;
    return ofPath(left, true, right.elements);
  }
  if (operator !== '==' && operator !== '!=') return null;
  const [path, constant] = left.kind === 'literal' ? [right, left] : [left, right];
  return path.kind === 'path' ? ofPath(path, operator === '==', [constant]) : null;
}

function ofPath(
  path: Node & { readonly kind: 'path' },
  areMeant: boolean,
  constants: readonly Node[],
): Texts | null {
  const texts = constants.map((constant) => (constant.kind === 'literal' ? constant.value : null));
  if (!texts.every((text) => typeof text === 'string')) return null;
  return { path: pathText(path.root, path.members), areMeant, texts: new Set(texts as string[]) };
}
