/** A path of `intent` or `facts` outside a condition. */
import type { WriteIntent } from '@writecheck/contract';
import type { FactsOf } from './compiled-condition.ts';
import { type InvalidCondition, invalid, noFactsControl } from './condition.ts';
import { parseCondition } from './parse.ts';
import { faultOfPath } from './paths.ts';
import { startOf, usableValueAt } from './read-value.ts';
import type { Step } from './tree.ts';

export interface CompiledPath {
  readonly kind: 'path';
  /** The control whose facts it reads; null if it reads the intent. */
  readonly controlId: string | null;
  /** The steps of the path, below the intent or the control's facts. */
  readonly steps: readonly Step[];
  /** Undefined if there is no value, or the path leads through a value without such members. */
  readonly read: (intent: WriteIntent, facts: FactsOf) => unknown;
}

/** `factsControls` are the ids that may follow `facts`; null if that was checked before. */
export function compilePath(
  source: string,
  factsControls: ReadonlySet<string> | null,
): CompiledPath | InvalidCondition {
  const parsed = parseCondition(source);
  if (parsed.kind === 'fault') return invalid(source, [parsed]);
  const { tree } = parsed;
  if (tree.kind !== 'path')
    return invalid(source, [
      { at: tree.at, message: 'must be a path such as `intent.system` or `facts.order.total`' },
    ]);
  const { controlId, steps } = startOf(tree);
  const unknown = controlId !== null && factsControls?.has(controlId) === false;
  const message = faultOfPath(tree.root, tree.members) ?? (unknown ? noFactsControl(controlId) : null);
  if (message !== null) return invalid(source, [{ at: tree.at, message }]);
  return {
    kind: 'path',
    controlId,
    steps,
    read: (intent, facts) => usableValueAt(controlId === null ? intent : facts(controlId), steps),
  };
}
