/** Turns a typed condition into closures: deciding interprets, generates and throws nothing. */
import type { JsonValue, WriteIntent } from '@writecheck/contract';
import type { Condition } from '../policy/snapshot.ts';
import { newConditionBudget } from './budget.ts';
import {
  call,
  doubleArithmetic,
  equal,
  type Frame,
  intArithmetic,
  isAmong,
  negate,
  not,
  ordered,
  type Scalar,
  type Thunk,
} from './operators.ts';
import type { SyntaxFault } from './scan.ts';
import type { Node } from './tree.ts';
import { BOOL, DOUBLE, STRING, TIMESTAMP } from './type-names.ts';
import { type PathUse, settled, type TypedCondition } from './types.ts';
import { intInRange, timestampFromMs, timestampInRange } from './values.ts';

/** The minimum cost of evaluating a node. */
export const NODE_COST = 16;

export function buildCondition(tree: Node, typed: TypedCondition, faults: SyntaxFault[]): Condition {
  const builder = new Builder(typed, faults);
  const thunk = builder.thunk(tree);
  const readPaths = pathReader(typed.paths);
  const baseCost = (builder.nodes + typed.paths.length) * NODE_COST;
  return (intent, nowMs, budget = newConditionBudget()) => {
    budget.left -= baseCost;
    if (budget.left < 0) return 'error';
    const frame: Frame = { values: [], nowMs, budget, failed: false };
    // An unreadable path decides alone, whatever the rest of the condition says.
    if (!readPaths(intent, frame.values)) return 'unreadable';
    const holds = thunk(frame);
    if (frame.failed) return 'error';
    return holds === true ? 'applies' : 'skips';
  };
}

/** Fills in the value of every path; false if one is absent or of the wrong type. */
function pathReader(paths: readonly PathUse[]): (intent: WriteIntent, values: Scalar[]) => boolean {
  const reads = paths.map(({ members, type }, index) => {
    const shared = settled(type);
    const twins = [...paths.keys()].filter((at) => at < index && settled(paths[at]!.type) === shared);
    return { members, mask: shared.mask, twins };
  });
  return (intent, values) => {
    for (let index = 0; index < reads.length; index += 1) {
      const { members, mask, twins } = reads[index]!;
      const value = valueAt(intent, members);
      if ((bitOf(value) & mask) === 0) return false;
      // Paths that are only compared with each other may have any type, but must share it.
      if (twins.some((at) => typeof values[at] !== typeof value)) return false;
      values.push(value as Scalar);
    }
    return true;
  };
}

/**
 * Undefined if it is absent. Reads only own members of objects: neither inherited members nor the length of a list
 * can be named, and a value without members has the wrong type for a path through it.
 */
function valueAt(intent: WriteIntent, members: readonly string[]): unknown {
  let value: unknown = intent;
  for (const member of members) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_AN_OBJECT;
    if (!Object.hasOwn(value, member)) return undefined;
    value = (value as { readonly [name: string]: JsonValue })[member];
  }
  return value;
}

const NOT_AN_OBJECT = Symbol('a path leads through something that has no members');

function bitOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    default:
      return 0;
  }
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
    this.nodes += 1;
    switch (node.kind) {
      case 'literal':
        return this.#constant(node.value);
      case 'path': {
        const index = this.#typed.pathIndexOf.get(node)!;
        return (frame) => frame.values[index]!;
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
        if (node.operator === 'in') {
          this.nodes += (node.right as Node & { kind: 'list' }).elements.length;
          return this.#folded(node, [left], isAmong(left, node.right));
        }
        const right = this.thunk(node.right);
        return this.#folded(node, [left, right], this.#binary(node, left, right));
      }
      case 'call': {
        const args = node.args.map((argument) => this.thunk(argument));
        return this.#folded(node, args, call(node.name, args, node.args));
      }
    }
  }

  #constant(value: Scalar): Thunk {
    const thunk: Thunk = () => value;
    this.#constants.add(thunk);
    return thunk;
  }

  /** Computes constants at load time, and refuses there what would fail every time. */
  #folded(node: Node, parts: readonly Thunk[], thunk: Thunk): Thunk {
    if (!parts.every((part) => this.#constants.has(part))) return thunk;
    const frame: Frame = { values: [], nowMs: 0, budget: newConditionBudget(), failed: false };
    const value = thunk(frame);
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
        return equal(left, right);
      case '!=':
        return not(equal(left, right));
      case '<':
      case '<=':
      case '>':
      case '>=':
        return ordered(node.operator, left, right);
      default:
        return this.#arithmetic(node, left, right);
    }
  }

  #arithmetic(node: Node & { kind: 'binary' }, left: Thunk, right: Thunk): Thunk {
    const type = this.#typed.typeOf(node);
    if (type === DOUBLE) return doubleArithmetic(node.operator, left, right);
    // Integers, durations and timestamps are all integers here; only their ranges differ.
    return intArithmetic(node.operator, left, right, type === TIMESTAMP ? timestampInRange : intInRange);
  }
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
