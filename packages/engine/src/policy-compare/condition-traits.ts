/** Tells, without an intent, whether a condition can fail, and its maximum cost. */
import { CONDITION_BUDGET } from '../conditions/budget.ts';
import { NODE_COST } from '../conditions/closures.ts';
import { FAR_APART_COST, SUM_COST } from '../conditions/lists.ts';
import { CLOCK_COST, TIME_COST } from '../conditions/operators.ts';
import { parseCondition } from '../conditions/parse.ts';
import { partsOf } from '../conditions/path-text.ts';
import { LIST_ELEMENTS_MAX } from '../conditions/read-value.ts';
import type { Node } from '../conditions/tree.ts';
import { NATIVE_NEEDLE_CHARACTERS_MAX } from '../policy/match.ts';

interface ConditionTraits {
  /** Whether some intent could make it fail, apart from its budget. */
  readonly canErr: boolean;
  readonly worstCost: number;
}

/** Values and metadata may have 16 KiB, names 256 code points. */
const VALUE_CHARACTERS_MAX = 16_384;
/** Comparing lists or objects costs at most this for each of their characters. */
const LIST_COST_MAX = 4 * VALUE_CHARACTERS_MAX;

export function conditionTraits(source: string): ConditionTraits {
  const parsed = parseCondition(source);
  // It compiled before, so this cannot happen; if it did, the worst must be assumed.
  if (parsed.kind === 'fault') return { canErr: true, worstCost: Number.POSITIVE_INFINITY };
  const traits = { canErr: false, worstCost: 0 };
  walk(parsed.tree, traits);
  return traits;
}

/** Whether it could fail by itself, or because of its cost. */
export function canFail(source: string): boolean {
  const { canErr, worstCost } = conditionTraits(source);
  return canErr || worstCost > CONDITION_BUDGET;
}

/** Whether the conditions of one decision could use up their shared budget. */
export function mayExhaustBudget(conditions: readonly string[]): boolean {
  return worstCostOf(conditions) > CONDITION_BUDGET;
}

/** The maximum cost of conditions that share a budget, with the longest lists and texts. */
export function worstCostOf(conditions: readonly string[]): number {
  let cost = 0;
  for (const source of conditions) cost += conditionTraits(source).worstCost;
  return cost;
}

function walk(node: Node, traits: { canErr: boolean; worstCost: number }): void {
  // A path costs once more when it is looked up, and so does each `has` in front of a comparison.
  traits.worstCost += node.kind === 'path' || node.kind === 'has' ? 2 * NODE_COST : NODE_COST;
  if (node.kind === 'macro') {
    walk(node.target, traits);
    const outside = traits.worstCost;
    walk(node.body, traits);
    traits.worstCost = outside + LIST_ELEMENTS_MAX * (traits.worstCost - outside);
    return;
  }
  for (const part of partsOf(node)) walk(part, traits);
  if (node.kind === 'unary' && node.operator === '-' && node.operand.kind !== 'literal') traits.canErr = true;
  if (node.kind === 'binary') {
    if (ARITHMETIC.includes(node.operator)) traits.canErr = true;
    traits.worstCost += comparisonCost(node);
  }
  if (node.kind === 'call') {
    if (CAN_FAIL.includes(node.name) && node.args[0]!.kind !== 'literal') traits.canErr = true;
    traits.worstCost += callCost(node);
  }
}

/** A sum may be too large for a double. */
const CAN_FAIL = ['timestamp', 'duration', 'sum'];
const ARITHMETIC = ['+', '-', '*', '/', '%'];

function comparisonCost({ operator, left, right }: Node & { kind: 'binary' }): number {
  if (operator === 'in') return longestText(left) + (right.kind === 'list' ? 0 : LIST_COST_MAX);
  if (ARITHMETIC.includes(operator)) return 0;
  const isList = [left, right].some(({ kind }) => kind === 'macro' || kind === 'steps');
  return Math.max(isList ? LIST_COST_MAX : 0, 4 * Math.min(longestText(left), longestText(right)));
}

function callCost({ name, args }: Node & { kind: 'call' }): number {
  const first = longestText(args[0]!);
  const second = args[1] === undefined ? 0 : longestText(args[1]);
  switch (name) {
    case 'size':
      return 2 * first;
    case 'sum':
      return LIST_ELEMENTS_MAX * (SUM_COST + FAR_APART_COST);
    case 'min':
    case 'max':
      return LIST_ELEMENTS_MAX * SUM_COST;
    case 'timestamp':
    case 'duration':
      return TIME_COST;
    case 'getHours':
    case 'getDayOfWeek':
      return CLOCK_COST;
    case 'startsWith':
    case 'endsWith':
      return 2 * second;
    case 'contains':
      return (second > NATIVE_NEEDLE_CHARACTERS_MAX ? 16 : 4) * (first + second);
  }
}

/** Texts are literals or paths: no operation makes them longer. */
function longestText(node: Node): number {
  if (node.kind === 'literal') return typeof node.value === 'string' ? node.value.length : 0;
  return node.kind === 'path' || node.kind === 'steps' ? VALUE_CHARACTERS_MAX : 0;
}
