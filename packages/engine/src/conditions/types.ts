/**
 * Infers the type of each path in a condition, and refuses what can never be typed correctly.
 *
 * An intent contains strings, doubles and booleans. The type of a path is not always known at its first use
 * (`intent.metadata.a == intent.metadata.b`), so paths compared with each other share one open type.
 */

import { quoted } from '../policy/faults.ts';
import { faultOfPath, rootTypeOf } from './paths.ts';
import type { SyntaxFault } from './scan.ts';
import { type ClockPart, clockReader, isClockPart } from './time-zone.ts';
import type { BinaryOperator, Node } from './tree.ts';
import { BOOL, DOUBLE, DURATION, INT, NUMBERS, nameOf, STRING, TIMESTAMP } from './type-names.ts';

/** A type that may narrow while the rest of the condition is read; `sameAs` points to the one it was joined with. */
export interface OpenType {
  mask: number;
  sameAs: OpenType | null;
}

export interface PathUse {
  readonly members: readonly string[];
  readonly type: OpenType;
}

export interface TypedCondition {
  /** Every path that the condition names, once. */
  readonly paths: readonly PathUse[];
  readonly pathIndexOf: ReadonlyMap<Node, number>;
  readonly typeOf: (node: Node) => number;
}

export function settled(type: OpenType): OpenType {
  let end = type;
  while (end.sameAs !== null) end = end.sameAs;
  return end;
}

export function inferTypes(tree: Node, faults: SyntaxFault[]): TypedCondition {
  const inference = new Inference(faults);
  inference.need(tree, BOOL, 'a condition must be true or false');
  inference.refuseObjectsUsedAsValues();
  return {
    paths: inference.paths,
    pathIndexOf: inference.pathIndexOf,
    typeOf: (node) => settled(inference.types.get(node)!).mask,
  };
}

class Inference {
  readonly types = new Map<Node, OpenType>();
  readonly paths: PathUse[] = [];
  readonly pathIndexOf = new Map<Node, number>();
  readonly #indexByKey = new Map<string, number>();
  readonly #firstUses: number[] = [];
  readonly #faults: SyntaxFault[];

  constructor(faults: SyntaxFault[]) {
    this.#faults = faults;
  }

  /** Infers a node and narrows it to one of the types in the mask. */
  need(node: Node, mask: number, complaint: string): void {
    const type = settled(this.#infer(node));
    if ((type.mask & mask) === 0) this.#refuse(node.at, `${complaint}, found ${nameOf(type.mask)}`);
    else type.mask &= mask;
  }

  #refuse(at: number, message: string): void {
    this.#faults.push({ at, message });
  }

  #infer(node: Node): OpenType {
    const known = this.types.get(node);
    if (known !== undefined) return known;
    const type = this.#typeFor(node);
    this.types.set(node, type);
    return type;
  }

  #typeFor(node: Node): OpenType {
    switch (node.kind) {
      case 'literal':
        return this.#literal(node.value, node.at);
      case 'path':
        return this.#path(node);
      case 'now':
        return open(TIMESTAMP);
      case 'list':
        this.#refuse(node.at, 'a list may only follow `in`');
        return broken();
      case 'unary':
        if (node.operator === '!') {
          this.need(node.operand, BOOL, '`!` needs a boolean');
          return open(BOOL);
        }
        this.need(node.operand, NUMBERS, '`-` needs a number');
        return open(settled(this.#infer(node.operand)).mask & NUMBERS);
      case 'binary':
        return this.#binary(node.operator, node.left, node.right, node.at);
      case 'call':
        return isClockPart(node.name) ? this.#clock(node.name, node.args) : this.#call(node.name, node.args);
    }
  }

  #literal(value: string | bigint | number | boolean, at: number): OpenType {
    switch (typeof value) {
      case 'string':
        return open(STRING);
      case 'boolean':
        return open(BOOL);
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value)
          this.#refuse(at, `${quoted(String(value))} is beyond 64 bits: write ${quoted(`${value}.0`)}`);
        return open(INT);
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(at, 'the number is too large for a double');
        return open(DOUBLE);
    }
  }

  #path(node: Node & { kind: 'path' }): OpenType {
    const { members, at } = node;
    const fault = faultOfPath(members);
    if (fault !== null) {
      this.#refuse(at, fault);
      return broken();
    }
    const key = JSON.stringify(members);
    let index = this.#indexByKey.get(key);
    if (index === undefined) {
      index = this.paths.length;
      this.paths.push({ members, type: open(rootTypeOf(members)) });
      this.#indexByKey.set(key, index);
      this.#firstUses.push(at);
    }
    this.pathIndexOf.set(node, index);
    return this.paths[index]!.type;
  }

  #binary(operator: BinaryOperator, left: Node, right: Node, at: number): OpenType {
    switch (operator) {
      case '&&':
      case '||':
        this.need(left, BOOL, `\`${operator}\` needs booleans`);
        this.need(right, BOOL, `\`${operator}\` needs booleans`);
        return open(BOOL);
      case '==':
      case '!=':
        this.#comparable(left, right, ~0, at, operator);
        return open(BOOL);
      case '<':
      case '<=':
      case '>':
      case '>=':
        this.#comparable(left, right, ~BOOL, at, operator);
        return open(BOOL);
      case 'in':
        this.#in(left, right);
        return open(BOOL);
      case '+':
      case '-':
        return this.#sum(operator, left, right, at);
      case '*':
      case '/':
        return this.#arithmetic(operator, left, right, NUMBERS, at);
      case '%':
        return this.#arithmetic(operator, left, right, INT, at);
    }
  }

  /** Both sides must end up with one type; integers and doubles count as one. */
  #comparable(left: Node, right: Node, mask: number, at: number, operator: string): void {
    const a = settled(this.#infer(left));
    const b = settled(this.#infer(right));
    const shared = withNumbersAlike(a.mask) & withNumbersAlike(b.mask) & mask;
    if (shared === 0) {
      const fix = ((a.mask | b.mask) & (TIMESTAMP | DURATION)) !== 0 ? TIME_FIX : '';
      this.#refuse(at, `\`${operator}\` cannot compare ${nameOf(a.mask)} with ${nameOf(b.mask)}${fix}`);
      return;
    }
    a.mask &= shared;
    b.mask &= shared;
    if (a !== b && a.mask === b.mask && !isSingle(a.mask)) b.sameAs = a;
  }

  #in(left: Node, right: Node): void {
    this.#infer(left);
    if (right.kind !== 'list' || right.elements.length === 0) {
      this.#refuse(right.at, '`in` needs a list of literals such as `["a", "b"]`');
      return;
    }
    const list = open(STRING | BOOL | NUMBERS);
    for (const element of right.elements) {
      if (element.kind !== 'literal') {
        this.#refuse(element.at, 'a list may hold only literals');
        continue;
      }
      const type = this.#infer(element);
      const shared = list.mask & withNumbersAlike(type.mask);
      if (shared === 0)
        this.#refuse(element.at, `${nameOf(type.mask)} in a list of others: a list holds one type`);
      else list.mask = shared;
    }
    this.types.set(right, list);
    this.need(left, list.mask, `\`in\` looks for ${nameOf(list.mask)}`);
  }

  #sum(operator: '+' | '-', left: Node, right: Node, at: number): OpenType {
    const a = settled(this.#infer(left)).mask;
    const b = settled(this.#infer(right)).mask;
    if (a === TIMESTAMP && b === DURATION) return open(TIMESTAMP);
    if (a === DURATION && b === DURATION) return open(DURATION);
    if (operator === '+' && a === DURATION && b === TIMESTAMP) return open(TIMESTAMP);
    if (operator === '-' && a === TIMESTAMP && b === TIMESTAMP) return open(DURATION);
    return this.#arithmetic(operator, left, right, NUMBERS, at);
  }

  #arithmetic(operator: string, left: Node, right: Node, mask: number, at: number): OpenType {
    const a = settled(this.#infer(left));
    const b = settled(this.#infer(right));
    const shared = a.mask & b.mask & mask;
    if (isSingle(shared)) {
      a.mask = shared;
      b.mask = shared;
      return open(shared);
    }
    if ((a.mask & NUMBERS) !== 0 && (b.mask & NUMBERS) !== 0) {
      const fix =
        mask === INT
          ? 'it takes integers, and the numbers of an intent are doubles'
          : 'it takes two integers or two doubles, and the numbers of an intent are doubles: write `2.0` instead of `2`';
      this.#refuse(at, `\`${operator}\` cannot take ${nameOf(a.mask)} and ${nameOf(b.mask)}: ${fix}`);
    } else {
      const fix = ((a.mask | b.mask) & (TIMESTAMP | DURATION)) !== 0 ? TIME_FIX : '';
      this.#refuse(at, `\`${operator}\` cannot take ${nameOf(a.mask)} and ${nameOf(b.mask)}${fix}`);
    }
    return broken();
  }

  #call(name: string, args: readonly Node[]): OpenType {
    for (const argument of args) this.need(argument, STRING, `\`${name}\` needs a string`);
    switch (name) {
      case 'size':
        return open(INT);
      case 'timestamp':
        return open(TIMESTAMP);
      case 'duration':
        return open(DURATION);
      default:
        return open(BOOL);
    }
  }

  /** The zone is a literal: the policy chooses it, not the caller, and an unknown one is refused here. */
  #clock(name: ClockPart, [target, zone]: readonly Node[]): OpenType {
    const type = settled(this.#infer(target!));
    if ((type.mask & TIMESTAMP) === 0)
      this.#refuse(target!.at, `\`${name}\` needs a timestamp, found ${nameOf(type.mask)}${TIME_FIX}`);
    if (zone === undefined) return open(INT);
    if (zone.kind !== 'literal' || typeof zone.value !== 'string')
      this.#refuse(zone.at, `\`${name}\` takes a time zone in quotes, such as \`"Europe/Berlin"\``);
    else if (clockReader(name, zone.value) === null)
      this.#refuse(
        zone.at,
        `there is no time zone ${quoted(zone.value)}: write one such as \`Europe/Berlin\`, \`UTC\` or \`+01:00\``,
      );
    return open(INT);
  }

  /** A value with members is not a scalar: one of the two uses could never be typed correctly. */
  refuseObjectsUsedAsValues(): void {
    for (const [index, { members }] of this.paths.entries()) {
      for (let length = 1; length < members.length; length += 1) {
        const prefix = members.slice(0, length);
        if (this.#indexByKey.has(JSON.stringify(prefix))) {
          const path = quoted(`intent.${prefix.join('.')}`);
          this.#refuse(this.#firstUses[index]!, `${path} is used as a value and cannot have members too`);
        }
      }
    }
  }
}

const TIME_FIX = ': an intent holds times as strings, write `timestamp(...)` or `duration(...)` around one';

function open(mask: number): OpenType {
  return { mask, sameAs: null };
}

/** Fits everywhere, so that one error is reported once. */
function broken(): OpenType {
  return open(~0);
}

function isSingle(mask: number): boolean {
  return mask !== 0 && (mask & (mask - 1)) === 0;
}

function withNumbersAlike(mask: number): number {
  return (mask & NUMBERS) === 0 ? mask : mask | NUMBERS;
}
