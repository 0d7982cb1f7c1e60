/** Shows that a condition can never be true, as far as possible without solving it. */
import { isNumber } from '../conditions/equality.ts';
import { parseCondition } from '../conditions/parse.ts';
import { pathText } from '../conditions/path-text.ts';
import type { Node, PathNode } from '../conditions/tree.ts';

type Scalar = string | number | bigint | boolean;

/** The values that one conjunction leaves possible for one path. */
interface Range {
  low: number | bigint | null;
  lowIncluded: boolean;
  high: number | bigint | null;
  highIncluded: boolean;
  /** Null if anything is possible. */
  among: readonly Scalar[] | null;
  readonly excluded: Scalar[];
}

/** `known` holds values that a path is known to have, by its name; a profile's exact match provides some. */
export function isNeverTrue(source: string, known: ReadonlyMap<string, readonly string[]>): boolean {
  const parsed = parseCondition(source);
  return parsed.kind === 'tree' && neverTrue(parsed.tree, known);
}

function neverTrue(node: Node, known: ReadonlyMap<string, readonly string[]>): boolean {
  if (node.kind === 'literal') return node.value === false;
  if (node.kind === 'unary') {
    return node.operator === '!' && node.operand.kind === 'literal' && node.operand.value === true;
  }
  if (node.kind === 'binary' && node.operator === '||') {
    return neverTrue(node.left, known) && neverTrue(node.right, known);
  }
  const ranges = new Map<string, Range>();
  for (const [path, among] of known) ranges.set(path, { ...anything(), among });
  return conjuncts(node).some((one) => (one !== node && neverTrue(one, known)) || !narrow(one, ranges));
}

function conjuncts(node: Node): readonly Node[] {
  if (node.kind !== 'binary' || node.operator !== '&&') return [node];
  return [...conjuncts(node.left), ...conjuncts(node.right)];
}

function anything(): Range {
  return { low: null, lowIncluded: true, high: null, highIncluded: true, among: null, excluded: [] };
}

/** False if nothing is left. */
function narrow(node: Node, ranges: Map<string, Range>): boolean {
  if (node.kind !== 'binary') return true;
  const { operator, left, right } = node;
  if (left.kind === 'path' && right.kind === 'path' && samePath(left, right)) {
    return !['!=', '<', '>'].includes(operator);
  }
  const isTurned = left.kind === 'literal' && right.kind === 'path';
  const path = isTurned ? right : left;
  if (path.kind !== 'path') return true;
  // The value of a macro's variable changes from element to element.
  if (typeof path.root !== 'string') return true;
  const name = nameOf(path);
  const range = ranges.get(name) ?? anything();
  ranges.set(name, range);
  if (operator === 'in' && right.kind === 'list') {
    const values = right.elements.flatMap((element) => (element.kind === 'literal' ? [element.value] : []));
    range.among = values.filter((value) => isPossible(range, value));
    return range.among.length > 0;
  }
  const literal = isTurned ? left : right;
  if (literal.kind !== 'literal') return true;
  return apply(range, isTurned ? (TURNED.get(operator) ?? operator) : operator, literal.value);
}

const TURNED: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);

function apply(range: Range, operator: string, value: Scalar): boolean {
  if (operator === '==') range.among = isPossible(range, value) ? [value] : [];
  else if (operator === '!=') range.excluded.push(value);
  else if (typeof value === 'number' || typeof value === 'bigint') {
    if ((operator === '>' || operator === '>=') && (range.low === null || value >= range.low)) {
      range.lowIncluded = operator === '>=' && (value !== range.low || range.lowIncluded);
      range.low = value;
    }
    if ((operator === '<' || operator === '<=') && (range.high === null || value <= range.high)) {
      range.highIncluded = operator === '<=' && (value !== range.high || range.highIncluded);
      range.high = value;
    }
  }
  if (range.among !== null) {
    range.among = range.among.filter((one) => isPossible({ ...range, among: null }, one));
    return range.among.length > 0;
  }
  if (range.low === null || range.high === null) return true;
  if (range.low > range.high) return false;
  return range.low < range.high || (range.lowIncluded && range.highIncluded);
}

function isPossible(range: Range, value: Scalar): boolean {
  // An integer and a double may be the same number.
  const same = (one: Scalar) =>
    one === value || (isNumber(one) && isNumber(value) && one <= value && one >= value);
  if (range.among !== null && !range.among.some(same)) return false;
  if (range.excluded.some(same)) return false;
  if (!isNumber(value)) return true;
  if (range.low !== null && (value < range.low || (!range.lowIncluded && value <= range.low))) return false;
  return range.high === null || value < range.high || (range.highIncluded && value <= range.high);
}

function samePath(a: PathNode, b: PathNode): boolean {
  return a.root === b.root && nameOf(a) === nameOf(b);
}

/** The names that `known` uses for the members of an intent. */
function nameOf({ root, members }: PathNode): string {
  return root === 'intent' ? members.join('.') : pathText(root, members);
}
