/** Whether a condition holds wherever another does; shown only for one path compared with one number. */
import { parseCondition } from '../conditions/parse.ts';
import { pathText } from '../conditions/path-text.ts';

interface Bound {
  readonly path: string;
  /** Whether it holds for large numbers. */
  readonly isLower: boolean;
  readonly isIncluded: boolean;
  readonly at: number | bigint;
}

/** Two such conditions also fail to be read by the same intents, and neither can fail to evaluate. */
export function isAsWide(outer: string | undefined, inner: string | undefined): boolean {
  if (outer === undefined || outer === inner) return true;
  if (inner === undefined) return false;
  const wide = boundOf(outer);
  const narrow = boundOf(inner);
  if (wide === null || narrow === null) return false;
  if (wide.path !== narrow.path || wide.isLower !== narrow.isLower) return false;
  if (wide.isLower ? wide.at < narrow.at : wide.at > narrow.at) return true;
  // An integer and a double may be the same number.
  const isSame = !(wide.at < narrow.at) && !(wide.at > narrow.at);
  return isSame && (wide.isIncluded || !narrow.isIncluded);
}

const TURNED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function boundOf(source: string): Bound | null {
  const parsed = parseCondition(source);
  if (parsed.kind !== 'tree' || parsed.tree.kind !== 'binary') return null;
  const { operator, left, right } = parsed.tree;
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
