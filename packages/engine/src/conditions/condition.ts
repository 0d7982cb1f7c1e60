/** Compiles a profile's condition, or reports with line and column why it is refused. */

import { CONDITION_LENGTH_MAX } from '../policy/document-shapes.ts';
import type { Condition } from '../policy/snapshot.ts';
import { buildCondition } from './closures.ts';
import { parseCondition } from './parse.ts';
import type { SyntaxFault } from './scan.ts';
import { inferTypes } from './types.ts';

export interface CompiledCondition {
  readonly evaluate: Condition;
  /** Whether it reads `agentValue` or one of `authority*`. */
  readonly readsValues: boolean;
  readonly readsField: boolean;
  readonly readsOperation: boolean;
}

export interface ConditionFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type ConditionCompiled =
  | { readonly kind: 'condition'; readonly condition: CompiledCondition }
  | { readonly kind: 'invalid'; readonly faults: readonly ConditionFault[] };

const VALUE_MEMBERS: readonly string[] = [
  'agentValue',
  'authorityValue',
  'authoritySource',
  'authorityFound',
];

export function compileCondition(source: string): ConditionCompiled {
  if (source.length > 2 * CONDITION_LENGTH_MAX || [...source].length > CONDITION_LENGTH_MAX) {
    return invalid(source, [{ at: 0, message: `a condition may have ${CONDITION_LENGTH_MAX} characters` }]);
  }
  const parsed = parseCondition(source);
  if (parsed.kind === 'fault') return invalid(source, [parsed]);
  const faults: SyntaxFault[] = [];
  const typed = inferTypes(parsed.tree, faults);
  if (faults.length > 0) return invalid(source, faults);
  const evaluate = buildCondition(parsed.tree, typed, faults);
  if (faults.length > 0) return invalid(source, faults);
  const roots = typed.paths.map(({ members }) => members[0]!);
  return {
    kind: 'condition',
    condition: {
      evaluate,
      readsValues: roots.some((root) => VALUE_MEMBERS.includes(root)),
      readsField: roots.includes('field'),
      readsOperation: roots.includes('operation'),
    },
  };
}

function invalid(source: string, faults: readonly SyntaxFault[]): ConditionCompiled {
  const ordered = [...faults].sort((a, b) => a.at - b.at);
  return { kind: 'invalid', faults: ordered.map(({ at, message }) => ({ message, ...placeOf(source, at) })) };
}

/** Both count from 1, the column in code points. */
function placeOf(source: string, at: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: [...before.at(-1)!].length + 1 };
}
