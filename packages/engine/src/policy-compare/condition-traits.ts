/** What is known about a condition without an intent: whether it can fail, and its maximum cost. */
import { CONDITION_BUDGET } from '../conditions/budget.ts';
import { NODE_COST } from '../conditions/closures.ts';
import { CLOCK_COST, TIME_COST } from '../conditions/operators.ts';
import { parseCondition } from '../conditions/parse.ts';
import type { Node } from '../conditions/tree.ts';
import { NATIVE_NEEDLE_CHARACTERS_MAX } from '../policy/match.ts';

export interface ConditionTraits {
  /** Whether some intent could make it fail, apart from its budget. */
  readonly canErr: boolean;
  readonly worstCost: number;
}

/** Values and metadata may have 16 KiB, names 256 code points. */
const VALUE_CHARACTERS_MAX = 16_384;

export function conditionTraits(source: string): ConditionTraits {
  const parsed = parseCondition(source);
  // It compiled before, so this cannot happen; if it did, the worst must be assumed.
  if (parsed.kind === 'fault') return { canErr: true, worstCost: Number.POSITIVE_INFINITY };
  const traits = { canErr: false, worstCost: 0 };
  walk(parsed.tree, traits);
  return traits;
}

/** Whether the conditions of one decision could use up their shared budget. */
export function mayExhaustBudget(conditions: readonly string[]): boolean {
  let cost = 0;
  for (const source of conditions) cost += conditionTraits(source).worstCost;
  return cost > CONDITION_BUDGET;
}

function walk(node: Node, traits: { canErr: boolean; worstCost: number }): void {
  // A path costs once more when it is looked up.
  traits.worstCost += node.kind === 'path' ? 2 * NODE_COST : NODE_COST;
  switch (node.kind) {
    case 'literal':
    case 'path':
    case 'now':
      return;
    case 'list':
      for (const element of node.elements) walk(element, traits);
      return;
    case 'unary':
      walk(node.operand, traits);
      if (node.operator === '-' && node.operand.kind !== 'literal') traits.canErr = true;
      return;
    case 'binary':
      walk(node.left, traits);
      walk(node.right, traits);
      if (ARITHMETIC.includes(node.operator)) traits.canErr = true;
      traits.worstCost += comparisonCost(node);
      return;
    case 'call':
      for (const argument of node.args) walk(argument, traits);
      if ((node.name === 'timestamp' || node.name === 'duration') && node.args[0]!.kind !== 'literal') {
        traits.canErr = true;
      }
      traits.worstCost += callCost(node);
  }
}

const ARITHMETIC = ['+', '-', '*', '/', '%'];

function comparisonCost({ operator, left, right }: Node & { kind: 'binary' }): number {
  if (operator === 'in') return longestText(left);
  return ARITHMETIC.includes(operator) ? 0 : 2 * Math.min(longestText(left), longestText(right));
}

function callCost({ name, args }: Node & { kind: 'call' }): number {
  const first = longestText(args[0]!);
  const second = args[1] === undefined ? 0 : longestText(args[1]);
  switch (name) {
    case 'size':
      return 2 * first;
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

/** Texts are literals or paths: nothing in a condition makes one longer. */
function longestText(node: Node): number {
  if (node.kind === 'literal') return typeof node.value === 'string' ? node.value.length : 0;
  return node.kind === 'path' ? VALUE_CHARACTERS_MAX : 0;
}
