/** The tree that a condition is parsed into. */

export type BinaryOperator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';
export const CONDITION_FUNCTIONS = [
  'startsWith',
  'endsWith',
  'contains',
  'size',
  'timestamp',
  'duration',
  'getHours',
  'getDayOfWeek',
  'sum',
  'min',
  'max',
] as const;
export type ConditionFunction = (typeof CONDITION_FUNCTIONS)[number];

export const MACROS = ['all', 'exists', 'filter', 'map'] as const;
export type MacroName = (typeof MACROS)[number];

/** The variable of a macro, for each element. */
export interface Variable {
  readonly name: string;
  /** 0 for the outer of two macros inside each other, 1 for the inner one. */
  readonly depth: number;
}

export type Root = 'intent' | 'facts' | Variable;
/** The name of a member, or the index of an element. */
export type Step = string | number;

export interface PathNode {
  readonly kind: 'path';
  readonly root: Root;
  readonly members: readonly Step[];
  readonly at: number;
}

export interface MacroNode {
  readonly kind: 'macro';
  readonly name: MacroName;
  readonly target: Node;
  readonly variable: Variable;
  readonly body: Node;
  readonly at: number;
}

/** `at` is an offset in code units: of the operator for operators, of the first character otherwise. */
export type Node =
  | { readonly kind: 'literal'; readonly value: string | bigint | number | boolean; readonly at: number }
  /** Steps below the root; none for the root itself. */
  | PathNode
  /** Steps below the result of a macro. */
  | { readonly kind: 'steps'; readonly operand: Node; readonly members: readonly Step[]; readonly at: number }
  | { readonly kind: 'has'; readonly path: PathNode; readonly at: number }
  | MacroNode
  | { readonly kind: 'now'; readonly at: number }
  | { readonly kind: 'list'; readonly elements: readonly Node[]; readonly at: number }
  | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly operand: Node; readonly at: number }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    }
  /** A method's target is its first argument. */
  | {
      readonly kind: 'call';
      readonly name: ConditionFunction;
      readonly args: readonly Node[];
      readonly at: number;
    };
