/** Turns a typed condition into closures: deciding interprets, generates and throws nothing. */
import type { WriteIntent } from '@writecheck/contract';
import { newConditionBudget } from './budget.ts';
import type { Condition, FactsOf } from './compiled-condition.ts';
import { equalContainers, sharingType } from './equality.ts';
import { type Frame, orUnreadable, type Scalar, type Thunk, type Value } from './frame.ts';
import { isAmongElements, macro, ofNumbers } from './lists.ts';
import { isSingle, settled } from './open-types.ts';
import { call, doubleArithmetic, equal, intArithmetic, isAmong, negate, not, ordered } from './operators.ts';
import { bitOf, hasValue, startOf, valueAt } from './read-value.ts';
import type { SyntaxFault } from './scan.ts';
import type { Node, PathNode, Step } from './tree.ts';
import { BOOL, CONTAINERS, DOUBLE, LIST, NUMBERS, OBJECT, TIMESTAMP } from './type-names.ts';
import type { TypedCondition } from './types.ts';
import { intInRange, timestampFromMs, timestampInRange } from './values.ts';

/** The minimum cost of evaluating a node. */
export const NODE_COST = 16;

/** `factsControls` are those that the condition names. */
export function buildCondition(
  tree: Node,
  typed: TypedCondition,
  factsControls: readonly string[],
  faults: SyntaxFault[],
): Condition {
  const builder = new Builder(typed, faults);
  const thunk = builder.thunk(tree);
  const readRequired = requiredReader(typed);
  const baseCost = (builder.nodes + typed.required.length) * NODE_COST;
  return (intent, nowMs, budget = newConditionBudget(), facts = NO_FACTS) => {
    budget.left -= baseCost;
    if (budget.left < 0) return 'error';
    // INVARIANT: a control without facts decides alone, whatever the rest of the condition says.
    for (let index = 0; index < factsControls.length; index += 1)
      if (facts(factsControls[index]!) === null) return 'unreadable';
    const values: Value[] = [];
    // So does a path that cannot be read.
    if (!readRequired(intent, facts, values)) return 'unreadable';
    const frame: Frame = {
      values,
      elements: [],
      intent,
      facts,
      nowMs,
      budget,
      failed: false,
      unreadable: false,
    };
    const holds = thunk(frame);
    if (budget.left < 0) return 'error';
    if (frame.unreadable) return 'unreadable';
    if (frame.failed) return 'error';
    return holds === true ? 'applies' : 'skips';
  };
}

const NO_FACTS: FactsOf = () => null;

/** Fills in the value of every path that must have one; false if one is absent or of the wrong type. */
function requiredReader({
  required,
}: TypedCondition): (intent: WriteIntent, facts: FactsOf, values: Value[]) => boolean {
  const reads = required.map(({ path, type }) => ({ ...startOf(path), mask: settled(type).mask }));
  return (intent, facts, values) => {
    for (let index = 0; index < reads.length; index += 1) {
      const { controlId, steps, mask } = reads[index]!;
      const value = valueAt(controlId === null ? intent : facts(controlId), steps);
      if ((bitOf(value) & mask) === 0) return false;
      values.push(value as Value);
    }
    return true;
  };
}

/** The stand-in for an unreadable value, so that the rest can be evaluated without checking it again. */
function standInFor(mask: number): Value {
  if ((mask & NUMBERS) !== 0) return 0;
  if ((mask & BOOL) !== 0) return false;
  if ((mask & LIST) !== 0) return [];
  return (mask & OBJECT) !== 0 ? {} : '';
}

class Builder {
  nodes = 0;
  readonly #typed: TypedCondition;
  readonly #faults: SyntaxFault[];
  readonly #constants = new Set<Thunk>();

  constructor(typed: TypedCondition, faults: SyntaxFault[]) {
    this.#typed = typed;
    this.#faults = faults;
  }

  thunk(node: Node): Thunk {
    const thunk = this.#plain(node);
    const guards = this.#typed.guardsOf(node).map((path) => this.#has(path));
    if (guards.length === 0) return thunk;
    this.nodes += guards.length;
    return (frame) => guards.every((guard) => guard(frame) === true) && thunk(frame);
  }

  #path(path: PathNode): Thunk {
    const index = this.#typed.requiredAt(path);
    if (index !== undefined) return (frame) => frame.values[index]!;
    return checked(finder(path), this.#typed.maskOf(path));
  }

  #has(path: PathNode): Thunk {
    const { start, steps } = placeOf(path);
    return (frame) => hasValue(start(frame), steps) ?? orUnreadable(frame, false);
  }

  #plain(node: Node): Thunk {
    this.nodes += 1;
    switch (node.kind) {
      case 'literal':
        return this.#constant(node.value);
      case 'path':
        return this.#path(node);
      case 'steps': {
        const operand = this.thunk(node.operand);
        return checked((frame) => valueAt(operand(frame), node.members), this.#typed.maskOf(node));
      }
      case 'has':
        return this.#has(node.path);
      case 'macro': {
        const target = this.thunk(node.target);
        const outside = this.nodes;
        const body = this.thunk(node.body);
        const cost = (this.nodes - outside) * NODE_COST;
        this.nodes = outside;
        return macro(node.name, target, body, node.variable.depth, cost);
      }
      case 'now':
        return (frame) => timestampFromMs(frame.nowMs);
      case 'list':
        throw new Error('a list only follows `in`, which reads it itself');
      case 'unary': {
        const operand = this.thunk(node.operand);
        return this.#folded(node, [operand], node.operator === '!' ? not(operand) : negate(operand));
      }
      case 'binary': {
        const left = this.thunk(node.left);
        if (node.operator === 'in' && node.right.kind === 'path')
          return isAmongElements(left, this.thunk(node.right));
        if (node.operator === 'in') {
          this.nodes += (node.right as Node & { kind: 'list' }).elements.length;
          return this.#folded(node, [left], isAmong(left, node.right));
        }
        const right = this.thunk(node.right);
        return this.#folded(node, [left, right], this.#binary(node, left, right));
      }
      case 'call': {
        const args = node.args.map((argument) => this.thunk(argument));
        if (node.name === 'sum' || node.name === 'min' || node.name === 'max')
          return ofNumbers(node.name, args[0]!);
        return this.#folded(node, args, call(node.name, args, node.args));
      }
    }
  }

  #constant(value: Scalar): Thunk {
    const thunk: Thunk = () => value;
    this.#constants.add(thunk);
    return thunk;
  }

  /** Computes constants at load time, and refuses a constant expression that would fail every time. */
  #folded(node: Node, parts: readonly Thunk[], thunk: Thunk): Thunk {
    if (!parts.every((part) => this.#constants.has(part))) return thunk;
    const frame: Frame = { ...NOTHING, budget: newConditionBudget() };
    const value = thunk(frame) as Scalar;
    if (frame.failed) {
      this.#faults.push({ at: node.at, message: `${describe(node)} fails every time` });
    }
    return this.#constant(value);
  }

  #binary(node: Node & { kind: 'binary' }, left: Thunk, right: Thunk): Thunk {
    switch (node.operator) {
      case '&&':
        // Both sides are evaluated: `false && error` is an error, not a way out.
        return (frame) => {
          const a = left(frame);
          return right(frame) === true && a === true;
        };
      case '||':
        return (frame) => {
          const a = left(frame);
          return right(frame) === true || a === true;
        };
      case '==':
        return this.#equal(node, left, right);
      case '!=':
        return not(this.#equal(node, left, right));
      case '<':
      case '<=':
      case '>':
      case '>=': {
        const { operator } = node;
        const compare = (a: Thunk, b: Thunk) => ordered(operator, a, b);
        return this.#isTypeKnown(node) ? compare(left, right) : sharingType(compare, left, right);
      }
      default:
        return this.#arithmetic(node, left, right);
    }
  }

  #equal(node: Node & { kind: 'binary' }, left: Thunk, right: Thunk): Thunk {
    const mask = this.#typed.maskOf(node.left) | this.#typed.maskOf(node.right);
    const compare = (mask & CONTAINERS) === 0 ? equal : equalContainers;
    return this.#isTypeKnown(node) ? compare(left, right) : sharingType(compare, left, right);
  }

  #isTypeKnown({ left, right }: Node & { kind: 'binary' }): boolean {
    return [left, right].every((side) => {
      const mask = this.#typed.maskOf(side);
      return isSingle(mask) || mask === NUMBERS || mask === CONTAINERS;
    });
  }

  #arithmetic(node: Node & { kind: 'binary' }, left: Thunk, right: Thunk): Thunk {
    const type = this.#typed.maskOf(node);
    if (type === DOUBLE) return doubleArithmetic(node.operator, left, right);
    // Integers, durations and timestamps are all integers here; only their ranges differ.
    return intArithmetic(node.operator, left, right, type === TIMESTAMP ? timestampInRange : intInRange);
  }
}

/** The frame in which constants are computed. */
const NOTHING = {
  values: [],
  elements: [],
  intent: { system: '' },
  facts: NO_FACTS,
  nowMs: 0,
  failed: false,
  unreadable: false,
};

function placeOf(path: PathNode): {
  readonly start: (frame: Frame) => unknown;
  readonly steps: readonly Step[];
} {
  const { controlId, steps } = startOf(path);
  if (controlId !== null) return { start: (frame) => frame.facts(controlId), steps };
  const { root } = path;
  if (typeof root === 'string') return { start: (frame) => frame.intent, steps };
  return { start: (frame) => frame.elements[root.depth], steps };
}

function finder(path: PathNode): (frame: Frame) => unknown {
  const { start, steps } = placeOf(path);
  return (frame) => valueAt(start(frame), steps);
}

/** A value that is absent or of another type makes the whole condition unreadable. */
function checked(find: (frame: Frame) => unknown, mask: number): Thunk {
  const standIn = standInFor(mask);
  return (frame) => {
    const value = find(frame);
    // A macro may return integers and times, which are typed when the condition is compiled.
    if (typeof value === 'bigint' || (bitOf(value) & mask) !== 0) return value as Value;
    return orUnreadable(frame, standIn);
  };
}

function describe(node: Node): string {
  switch (node.kind) {
    case 'call':
      return `\`${node.name}\` of this text`;
    case 'binary':
    case 'unary':
      return `this \`${node.operator}\``;
    default:
      return 'this';
  }
}
