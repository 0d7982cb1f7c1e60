/** Parses the subset of CEL that conditions use, and suggests what to write instead of the rest. */
import { didYouMean, quoted } from '../policy/faults.ts';
import { type SyntaxFault, scan, type Token } from './scan.ts';
import { isClockPart } from './time-zone.ts';
import {
  type BinaryOperator,
  CONDITION_FUNCTIONS,
  type ConditionFunction,
  MACROS,
  type MacroName,
  type Node,
  type Step,
  type Variable,
} from './tree.ts';

export type Parsed =
  | { readonly kind: 'tree'; readonly tree: Node }
  | ({ readonly kind: 'fault' } & SyntaxFault);

const CONDITION_NESTING_MAX = 32;
/** Limits nested macros. More would let a short condition need more steps than its budget allows. */
const MACRO_NESTING_MAX = 2;

const OF_LISTS: readonly string[] = ['sum', 'min', 'max'];
const METHODS: readonly string[] = [
  'startsWith',
  'endsWith',
  'contains',
  'size',
  'getHours',
  'getDayOfWeek',
  ...OF_LISTS,
  ...MACROS,
];

const FUNCTIONS: readonly string[] = ['size', 'timestamp', 'duration'];
const NO_VARIABLE: readonly string[] = ['intent', 'facts', 'now'];
const ABSENT_APPLIES =
  'if a path is absent, a permit does not apply, and every other profile and limit applies, whatever the condition says';

/** Ordered from the loosest binding to the tightest. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Unwinds the descent to `parseCondition`, the only place that catches it. */
class Stop {
  readonly fault: SyntaxFault;
  constructor(fault: SyntaxFault) {
    this.fault = fault;
  }
}

export function parseCondition(source: string): Parsed {
  const scanned = scan(source);
  if (scanned.kind === 'fault') return scanned;
  try {
    return { kind: 'tree', tree: new Parser(scanned.tokens).parse() };
  } catch (error) {
    if (error instanceof Stop) return { kind: 'fault', ...error.fault };
    throw error;
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #nesting = 0;
  /** The variables of the macros around this place, the outer one first. */
  readonly #variables: Variable[] = [];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Node {
    const tree = this.#binary(0);
    if (this.#peek().kind !== 'end') this.#unexpected();
    return tree;
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #isSign(value: string): boolean {
    const token = this.#peek();
    return token.kind === 'sign' && token.value === value;
  }

  #takeSign(value: string): boolean {
    if (!this.#isSign(value)) return false;
    this.#next += 1;
    return true;
  }

  #stop(at: number, message: string): never {
    throw new Stop({ at, message });
  }

  #unexpected(): never {
    const token = this.#peek();
    if (token.kind === 'end') this.#stop(token.at, 'the condition ends too early');
    if (this.#isSign('?')) this.#stop(token.at, 'no ternaries: use `&&` and `||`, or write two profiles');
    if (this.#isSign('{')) this.#stop(token.at, 'no maps or messages: compare single members');
    this.#stop(token.at, `unexpected ${token.kind === 'string' ? 'string' : quoted(String(token.value))}`);
  }

  #expect(value: string): void {
    if (!this.#takeSign(value)) {
      if (this.#peek().kind === 'end') this.#stop(this.#peek().at, `\`${value}\` is missing`);
      this.#unexpected();
    }
  }

  #nested<T>(at: number, parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > CONDITION_NESTING_MAX) {
      this.#stop(at, `brackets and calls may be nested ${CONDITION_NESTING_MAX} deep`);
    }
    const result = parse();
    this.#nesting -= 1;
    return result;
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const token = this.#peek();
      const operator = operators.find(
        (one) => (token.kind === 'sign' || token.kind === 'name') && token.value === one,
      );
      if (operator === undefined) return left;
      this.#next += 1;
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1), at: token.at };
    }
  }

  #unary(): Node {
    const signs: Token[] = [];
    while (this.#isSign('!') || this.#isSign('-')) {
      signs.push(this.#peek());
      this.#next += 1;
      if (signs.length > CONDITION_NESTING_MAX)
        this.#stop(signs[0]!.at, 'too many signs in a row: one is enough');
    }
    let node = this.#negativeLiteral(signs) ?? this.#member();
    for (const sign of signs.reverse()) {
      node = { kind: 'unary', operator: (sign as { value: '!' | '-' }).value, operand: node, at: sign.at };
    }
    return node;
  }

  /**
   * A minus belongs to the number after it, otherwise the smallest integer could not be written; this removes
   * that sign.
   */
  #negativeLiteral(signs: Token[]): Node | null {
    const sign = signs.at(-1);
    const token = this.#peek();
    if (sign?.kind !== 'sign' || sign.value !== '-') return null;
    if (token.kind !== 'int' && token.kind !== 'double') return null;
    this.#next += 1;
    signs.pop();
    return { kind: 'literal', value: -token.value, at: sign.at };
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      const { at } = this.#peek();
      if (this.#takeSign('.')) node = this.#selected(node);
      else if (this.#takeSign('[')) node = this.#nested(at, () => this.#indexed(node, at));
      else return node;
    }
  }

  #selected(node: Node): Node {
    const token = this.#peek();
    if (token.kind !== 'name') this.#unexpected();
    this.#next += 1;
    const { value: name, at } = token;
    if (this.#isSign('(')) return this.#method(node, name, at);
    if (['true', 'false', 'null', 'in'].includes(name))
      this.#stop(at, `\`.${name}\` is reserved: write \`["${name}"]\``);
    return (
      below(node, name) ??
      this.#stop(at, `only \`intent\` and \`facts\` have members, this has no ${quoted(name)}`)
    );
  }

  #indexed(node: Node, at: number): Node {
    const token = this.#peek();
    const isIndex = token.kind === 'int' && token.value >= 0n && token.value <= Number.MAX_SAFE_INTEGER;
    const step = token.kind === 'string' ? token.value : isIndex ? Number(token.value) : null;
    const deeper = step === null ? null : below(node, step);
    if (deeper === null)
      this.#stop(
        at,
        'brackets take a member by its name in quotes, `intent.metadata["x-y"]`, or an element of a list by its index, `[0]`',
      );
    this.#next += 1;
    this.#expect(']');
    return deeper;
  }

  #method(target: Node, name: string, at: number): Node {
    if (name === 'exists_one' || name === 'existsOne')
      this.#stop(at, `no ${quoted(name)}: compare the size of a \`filter\` with 1`);
    if ((MACROS as readonly string[]).includes(name)) return this.#macro(target, name as MacroName, at);
    if (name === 'matches') this.#stop(at, 'no `matches`: use `startsWith`, `endsWith` or `contains`');
    if (!METHODS.includes(name))
      this.#stop(at, `there is no method ${quoted(name)}${didYouMean(name, METHODS)}`);
    const args = [target, ...this.#arguments()];
    if (isClockPart(name)) {
      if (args.length > 2) this.#stop(at, `\`${name}\` takes one time zone, found ${args.length - 1}`);
      return { kind: 'call', name, args, at };
    }
    if (OF_LISTS.includes(name)) {
      if (args.length > 1) this.#stop(at, `\`${name}\` takes nothing in its brackets`);
      return { kind: 'call', name: name as ConditionFunction, args, at };
    }
    return this.#call(name as ConditionFunction, args, name === 'size' ? 1 : 2, at);
  }

  #macro(target: Node, name: MacroName, at: number): Node {
    this.#expect('(');
    return this.#nested(at, () => {
      const token = this.#peek();
      if (token.kind !== 'name' || RESERVED.has(token.value))
        this.#stop(token.at, `\`${name}\` first takes a name for each element: \`${name}(x, ...)\``);
      if (NO_VARIABLE.includes(token.value) || this.#variableOf(token.value) !== undefined)
        this.#stop(token.at, `${quoted(token.value)} already has a meaning here: choose another name`);
      if (this.#variables.length === MACRO_NESTING_MAX)
        this.#stop(at, `macros may be nested ${MACRO_NESTING_MAX} deep`);
      this.#next += 1;
      this.#expect(',');
      const variable = { name: token.value, depth: this.#variables.length };
      this.#variables.push(variable);
      const body = this.#binary(0);
      this.#variables.pop();
      this.#expect(')');
      return { kind: 'macro', name, target, variable, body, at };
    });
  }

  #variableOf(name: string): Variable | undefined {
    return this.#variables.find((one) => one.name === name);
  }

  #call(name: ConditionFunction, args: readonly Node[], count: number, at: number): Node {
    if (args.length !== count) this.#stop(at, `\`${name}\` takes one text, found ${args.length - count + 1}`);
    return { kind: 'call', name, args, at };
  }

  #arguments(): readonly Node[] {
    const { at } = this.#peek();
    this.#expect('(');
    return this.#nested(at, () => this.#listUntil(')'));
  }

  #listUntil(close: string): readonly Node[] {
    const nodes: Node[] = [];
    while (!this.#takeSign(close)) {
      if (nodes.length > 0) this.#expect(',');
      // CEL allows a trailing comma in a list, but not in the arguments of a call.
      if (close === ']' && nodes.length > 0 && this.#takeSign(close)) break;
      nodes.push(this.#binary(0));
    }
    return nodes;
  }

  #primary(): Node {
    const token = this.#peek();
    const { at } = token;
    if (token.kind === 'int' || token.kind === 'double' || token.kind === 'string') {
      this.#next += 1;
      return { kind: 'literal', value: token.value, at };
    }
    if (token.kind === 'name') return this.#named(token.value, at);
    if (this.#takeSign('(')) {
      return this.#nested(at, () => {
        const node = this.#binary(0);
        this.#expect(')');
        return node;
      });
    }
    if (this.#takeSign('[')) {
      return this.#nested(at, () => ({ kind: 'list', elements: this.#listUntil(']'), at }));
    }
    return this.#unexpected();
  }

  #named(name: string, at: number): Node {
    this.#next += 1;
    if (name === 'has') return this.#has(at);
    if (name === 'null') this.#stop(at, `no \`null\`: ${ABSENT_APPLIES}`);
    if (this.#isSign('(')) return this.#function(name, at);
    switch (name) {
      case 'true':
      case 'false':
        return { kind: 'literal', value: name === 'true', at };
      case 'intent':
      case 'facts':
        return { kind: 'path', root: name, members: [], at };
      case 'now':
        return { kind: 'now', at };
      default: {
        const variable = this.#variableOf(name);
        if (variable !== undefined) return { kind: 'path', root: variable, members: [], at };
        return this.#stop(at, `a condition knows \`intent\`, \`facts\` and \`now\`, not ${quoted(name)}`);
      }
    }
  }

  #has(at: number): Node {
    const args = this.#arguments();
    const [path] = args;
    if (args.length !== 1 || path?.kind !== 'path' || typeof path.members.at(-1) !== 'string')
      this.#stop(at, '`has` takes one path that ends with a member: `has(facts.order.discount)`');
    if (path.root === 'intent') this.#stop(at, `no \`has\` for a member of \`intent\`: ${ABSENT_APPLIES}`);
    return { kind: 'has', path, at };
  }

  #function(name: string, at: number): Node {
    if (isClockPart(name))
      this.#stop(at, `\`${name}\` is written after a timestamp: \`now.${name}("Europe/Berlin")\``);
    if (OF_LISTS.includes(name) || (MACROS as readonly string[]).includes(name))
      this.#stop(at, `\`${name}\` is written after its list: \`facts.order.lines.${name}(...)\``);
    if (METHODS.includes(name) && name !== 'size') {
      this.#stop(at, `\`${name}\` is written after the text it searches: \`intent.system.${name}("...")\``);
    }
    if (name === 'matches') this.#stop(at, 'no `matches`: use `startsWith`, `endsWith` or `contains`');
    if (!FUNCTIONS.includes(name))
      this.#stop(at, `there is no function ${quoted(name)}${didYouMean(name, CONDITION_FUNCTIONS)}`);
    return this.#call(name as ConditionFunction, this.#arguments(), 1, at);
  }
}

/** Null for a node that has neither members nor elements. */
function below(node: Node, step: Step): Node | null {
  switch (node.kind) {
    case 'path':
    case 'steps':
      return { ...node, members: [...node.members, step] };
    case 'macro':
      return { kind: 'steps', operand: node, members: [step], at: node.at };
    default:
      return null;
  }
}

/** Words that CEL keeps for itself: neither a macro variable nor a facts control can use one as its name. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

/** Whether conditions can name it without quotes. */
export function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);
}
