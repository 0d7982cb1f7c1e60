/**
 * Infers the type of each path in a condition, and refuses conditions that can never be typed correctly.
 *
 * An intent and facts contain strings, doubles, booleans, lists and objects. The type of a path is not always
 * known at its first use (`intent.metadata.a == intent.metadata.b`), so paths compared with each other share
 * one open type.
 */
import { quoted } from '../policy/faults.ts';
import { Guards } from './guards.ts';
import {
  broken,
  comparableWith,
  isSingle,
  join,
  listOf,
  type OpenType,
  open,
  settled,
  stepInto,
} from './open-types.ts';
import { pathText } from './path-text.ts';
import { faultOfPath, INTENT_TYPES } from './paths.ts';
import type { SyntaxFault } from './scan.ts';
import { type ClockPart, clockReader, isClockPart } from './time-zone.ts';
import type { MacroNode, Node, PathNode, Step, Variable } from './tree.ts';
import {
  BOOL,
  CONTAINERS,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  NUMBERS,
  nameOf,
  OBJECT,
  STRING,
  TIMESTAMP,
} from './type-names.ts';

export interface TypedCondition {
  /** Every path below `intent` and `facts` that must have a value, once. */
  readonly required: readonly { readonly path: PathNode; readonly type: OpenType }[];
  /** The place of a path in `required`; undefined if it is read only when it is evaluated. */
  readonly requiredAt: (path: PathNode) => number | undefined;
  /** The `has` checks that must hold for a comparison to be evaluated. */
  readonly guardsOf: (node: Node) => readonly PathNode[];
  readonly maskOf: (node: Node) => number;
}

export function inferTypes(tree: Node, faults: SyntaxFault[]): TypedCondition {
  const inference = new Inference(faults);
  inference.needLeaf(tree, 'a condition must be true or false');
  const { required, types, guards } = inference;
  const indexByKey = new Map([...required.keys()].map((key, index) => [key, index]));
  return {
    required: [...required.values()],
    requiredAt: ({ root, members }) =>
      typeof root === 'string' ? indexByKey.get(pathText(root, members)) : undefined,
    guardsOf: (node) => guards.of(node),
    maskOf: (node) => settled(types.get(node)!).mask,
  };
}

class Inference {
  readonly types = new Map<Node, OpenType>();
  readonly required = new Map<string, { readonly path: PathNode; readonly type: OpenType }>();
  readonly guards = new Guards();
  readonly #variables = new Map<Variable, OpenType>();
  readonly #roots = { intent: intentType(), facts: open(OBJECT) };
  readonly #faults: SyntaxFault[];

  constructor(faults: SyntaxFault[]) {
    this.#faults = faults;
  }

  /** Infers a node and narrows it to one of the types in the mask. */
  #need(node: Node, mask: number, complaint: string): void {
    const type = settled(this.#infer(node));
    if ((type.mask & mask) === 0) this.#refuse(node.at, `${complaint}, found ${nameOf(type.mask)}`);
    else type.mask &= mask;
  }

  /** A part of `&&`, `||` or `!`, the body of a macro, or the whole. */
  needLeaf(node: Node, complaint: string): void {
    this.guards.within(node, () => this.#need(node, BOOL, complaint));
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
      case 'steps':
        return this.#walk(this.#infer(node.operand), node.members, node.at, 'this');
      case 'has':
        return this.#has(node.path);
      case 'macro':
        return this.#macro(node);
      case 'now':
        return open(TIMESTAMP);
      case 'list':
        this.#refuse(node.at, 'a list may only follow `in`');
        return broken();
      case 'unary':
        if (node.operator === '!') {
          this.needLeaf(node.operand, '`!` needs a boolean');
          return open(BOOL);
        }
        this.#need(node.operand, NUMBERS, '`-` needs a number');
        return open(settled(this.#infer(node.operand)).mask & NUMBERS);
      case 'binary':
        return this.#binary(node, node.left, node.right, node.at);
      case 'call':
        return isClockPart(node.name)
          ? this.#clock(node.name, node.args)
          : this.#call(node.name, node.args[0]!, node.args);
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

  #path(node: PathNode): OpenType {
    const type = this.#place(node);
    if (type === null) return broken();
    if (typeof node.root !== 'string') this.guards.excuse(node);
    else if (!this.guards.excuse(node)) {
      const key = pathText(node.root, node.members);
      if (!this.required.has(key)) this.required.set(key, { path: node, type });
    }
    return type;
  }

  /** The type of a path's value; null if no path can lead there. */
  #place({ root, members, at }: PathNode): OpenType | null {
    const fault = faultOfPath(root, members);
    if (fault !== null) {
      this.#refuse(at, fault);
      return null;
    }
    const from = typeof root === 'string' ? this.#roots[root] : this.#variables.get(root)!;
    return this.#walk(from, members, at, root);
  }

  #walk(from: OpenType, members: readonly Step[], at: number, root: PathNode['root'] | 'this'): OpenType {
    let type = from;
    for (const [index, step] of members.entries()) {
      const next = stepInto(type, step);
      if (next === null) {
        const path = root === 'this' ? 'this' : quoted(pathText(root, members.slice(0, index)));
        const what =
          typeof step === 'number'
            ? `is ${nameOf(settled(type).mask)} and has no elements`
            : (settled(type).mask & CONTAINERS) === 0
              ? 'is used as a value and cannot have members too'
              : 'is a list: name one of its elements, or use `all`, `exists`, `filter` or `map`';
        this.#refuse(at, `${path} ${what}`);
        return broken();
      }
      type = next;
    }
    return type;
  }

  #has(path: PathNode): OpenType {
    this.#place(path);
    return open(BOOL);
  }

  #macro({ name, target, variable, body }: MacroNode): OpenType {
    this.#need(target, LIST, `\`${name}\` needs a list`);
    const list = settled(this.#infer(target));
    const element = stepInto(list, 0) ?? broken();
    this.#variables.set(variable, element);
    if (name === 'all' || name === 'exists') {
      this.needLeaf(body, `\`${name}\` needs a condition`);
      return open(BOOL);
    }
    return this.guards.withinList(() => {
      if (name === 'map') return listOf(this.#infer(body));
      this.needLeaf(body, '`filter` needs a condition');
      return list;
    });
  }

  #binary(node: Node & { kind: 'binary' }, left: Node, right: Node, at: number): OpenType {
    const { operator } = node;
    switch (operator) {
      case '&&':
      case '||':
        this.needLeaf(left, `\`${operator}\` needs booleans`);
        this.guards.after(left, operator, () => this.needLeaf(right, `\`${operator}\` needs booleans`));
        return open(BOOL);
      case '==':
      case '!=':
        this.#comparable(left, right, ~0, at, operator);
        return open(BOOL);
      case '<':
      case '<=':
      case '>':
      case '>=':
        this.#comparable(left, right, ~(BOOL | CONTAINERS), at, operator);
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

  /** Both sides must end up with types that compare; integers and doubles count as one. */
  #comparable(left: Node, right: Node, mask: number, at: number, operator: string): void {
    const a = settled(this.#infer(left));
    const b = settled(this.#infer(right));
    const [was, other] = [a.mask, b.mask];
    if (join(a, b, mask)) return;
    const fix = ((was | other) & (TIMESTAMP | DURATION)) !== 0 ? TIME_FIX : '';
    const both = (was & other & LIST) !== 0 && isSingle(was) && isSingle(other);
    this.#refuse(
      at,
      both
        ? `\`${operator}\` cannot compare lists of different types`
        : `\`${operator}\` cannot compare ${nameOf(was)} with ${nameOf(other)}${fix}`,
    );
  }

  #in(left: Node, right: Node): void {
    if (right.kind === 'path') {
      this.#inPath(left, right);
      return;
    }
    this.#infer(left);
    if (right.kind !== 'list' || right.elements.length === 0) {
      this.#refuse(right.at, '`in` needs a list of literals such as `["a", "b"]`, or a path to a list');
      return;
    }
    const list = open(STRING | BOOL | NUMBERS);
    for (const element of right.elements) {
      if (element.kind !== 'literal') {
        this.#refuse(element.at, 'a list may hold only literals');
        continue;
      }
      const type = this.#infer(element);
      const shared = list.mask & comparableWith(type.mask);
      if (shared === 0)
        this.#refuse(element.at, `${nameOf(type.mask)} in a list of others: a list holds one type`);
      else list.mask = shared;
    }
    this.types.set(right, list);
    this.#need(left, list.mask, `\`in\` looks for ${nameOf(list.mask)}`);
  }

  #inPath(left: Node, right: PathNode): void {
    const sought = settled(this.#infer(left));
    this.#need(right, LIST, '`in` needs a list');
    const element = settled(stepInto(this.#infer(right), 0) ?? broken());
    const [was, other] = [sought.mask, element.mask];
    if (!join(sought, element, STRING | BOOL | NUMBERS))
      this.#refuse(left.at, `\`in\` cannot look for ${nameOf(was)} in a list with ${nameOf(other)}`);
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
          : `it takes two integers or two doubles, and the numbers of an intent and of facts are doubles: ${doubleFix([left, right])}`;
      this.#refuse(at, `\`${operator}\` cannot take ${nameOf(a.mask)} and ${nameOf(b.mask)}: ${fix}`);
    } else {
      const fix = ((a.mask | b.mask) & (TIMESTAMP | DURATION)) !== 0 ? TIME_FIX : '';
      this.#refuse(at, `\`${operator}\` cannot take ${nameOf(a.mask)} and ${nameOf(b.mask)}${fix}`);
    }
    return broken();
  }

  #call(name: string, target: Node, args: readonly Node[]): OpenType {
    switch (name) {
      case 'sum':
      case 'min':
      case 'max':
        return this.#ofNumbers(name, target);
      case 'size':
        this.#need(target, STRING | CONTAINERS, '`size` needs a string, a list or an object');
        return open(INT);
    }
    for (const argument of args) this.#need(argument, STRING, `\`${name}\` needs a string`);
    switch (name) {
      case 'timestamp':
        return open(TIMESTAMP);
      case 'duration':
        return open(DURATION);
      default:
        return open(BOOL);
    }
  }

  #ofNumbers(name: string, target: Node): OpenType {
    this.#need(target, LIST, `\`${name}\` needs a list of numbers`);
    const element = settled(stepInto(this.#infer(target), 0) ?? broken());
    if ((element.mask & NUMBERS) === 0) {
      this.#refuse(
        target.at,
        `\`${name}\` needs a list of numbers, found a list with ${nameOf(element.mask)}`,
      );
      return broken();
    }
    element.mask &= NUMBERS;
    return open(element.mask);
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
}

function doubleFix(sides: readonly Node[]): string {
  return sides.some((side) => side.kind === 'call' && side.name === 'size')
    ? 'for the size of a list write `LIST.map(x, 1.0).sum()`'
    : 'write `2.0` instead of `2`';
}

const TIME_FIX = ': an intent holds times as strings, write `timestamp(...)` or `duration(...)` around one';

/** What is known about an intent in advance. */
function intentType(): OpenType {
  const metadata = open(OBJECT);
  metadata.members = new Map([
    ['agent', open(STRING)],
    ['context', open(OBJECT)],
  ]);
  const intent = open(OBJECT);
  intent.members = new Map([['metadata', metadata]]);
  for (const [name, mask] of INTENT_TYPES) intent.members.set(name, open(mask));
  return intent;
}
