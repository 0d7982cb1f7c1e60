/** Compiles a profile's condition, or reports with line and column why it is refused. */
import { quoted } from '../policy/faults.ts';
import { CONDITION_LENGTH_MAX, CONDITION_TOO_LONG_FIX } from '../policy/profile-shapes.ts';
import { isLonger } from '../policy/shape.ts';
import { buildCondition } from './closures.ts';
import type { Condition } from './compiled-condition.ts';
import { parseCondition } from './parse.ts';
import { pathsIn } from './path-text.ts';
import type { SyntaxFault } from './scan.ts';
import { type TimeRead, timesIn } from './times-read.ts';
import { inferTypes } from './types.ts';

export interface CompiledCondition {
  readonly evaluate: Condition;
  /** Whether it reads `agentValue` or one of `authority*`. */
  readonly readsValues: boolean;
  readonly readsField: boolean;
  readonly readsOperation: boolean;
  /** The controls whose facts it reads, each once. */
  readonly factsControls: readonly string[];
  /** The texts that it reads as times or durations. */
  readonly times: readonly TimeRead[];
}

export interface ConditionFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

type ConditionCompiled =
  | { readonly kind: 'condition'; readonly condition: CompiledCondition }
  | InvalidCondition;

export interface InvalidCondition {
  readonly kind: 'invalid';
  readonly faults: readonly ConditionFault[];
}

const VALUE_MEMBERS: readonly string[] = [
  'agentValue',
  'authorityValue',
  'authoritySource',
  'authorityFound',
];

/** `factsControls` are the ids that may follow `facts`; null if that was checked before. */
export function compileCondition(
  source: string,
  factsControls: ReadonlySet<string> | null = null,
): ConditionCompiled {
  if (isTooLong(source)) {
    const message = `a condition may have ${CONDITION_LENGTH_MAX} characters; ${CONDITION_TOO_LONG_FIX}`;
    return invalid(source, [{ at: 0, message }]);
  }
  const parsed = parseCondition(source);
  if (parsed.kind === 'fault') return invalid(source, [parsed]);
  const faults: SyntaxFault[] = [];
  const typed = inferTypes(parsed.tree, faults);
  const paths = pathsIn(parsed.tree);
  const controls = new Set<string>();
  for (const { root, members, at } of paths) {
    const [controlId] = members;
    if (root !== 'facts' || typeof controlId !== 'string') continue;
    controls.add(controlId);
    if (factsControls !== null && !factsControls.has(controlId))
      faults.push({ at, message: noFactsControl(controlId) });
  }
  if (faults.length > 0) return invalid(source, faults);
  const named = Object.freeze([...controls].sort());
  const evaluate = buildCondition(parsed.tree, typed, named, faults);
  if (faults.length > 0) return invalid(source, faults);
  const members = paths.flatMap((path) => (path.root === 'intent' ? [path.members[0]] : []));
  return {
    kind: 'condition',
    condition: {
      evaluate,
      readsValues: VALUE_MEMBERS.some((member) => members.includes(member)),
      readsField: members.includes('field'),
      readsOperation: members.includes('operation'),
      factsControls: named,
      times: Object.freeze(timesIn(parsed.tree)),
    },
  };
}

export function isTooLong(source: string): boolean {
  return isLonger(source, CONDITION_LENGTH_MAX);
}

export function noFactsControl(controlId: string): string {
  return `no control ${quoted(controlId)} with \`facts: true\` in the bundle`;
}

export function invalid(source: string, faults: readonly SyntaxFault[]): InvalidCondition {
  const ordered = [...faults].sort((a, b) => a.at - b.at);
  return { kind: 'invalid', faults: ordered.map(({ at, message }) => ({ message, ...placeOf(source, at) })) };
}

/** Both count from 1, the column in code points. */
function placeOf(source: string, at: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: [...before.at(-1)!].length + 1 };
}
