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
] as const;
export type ConditionFunction = (typeof CONDITION_FUNCTIONS)[number];

/** `at` is an offset in code units: of the operator for operators, of the first character otherwise. */
export type Node =
  | { readonly kind: 'literal'; readonly value: string | bigint | number | boolean; readonly at: number }
  /** Names below `intent`; none for `intent` itself. */
  | { readonly kind: 'path'; readonly members: readonly string[]; readonly at: number }
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
