/** An erasure from its trace in the log to its end, the same for both databases. */
import type { Erasure, ErasurePart, Prunable } from '../port/erasures.ts';
import { traceFound } from './trace-erasure.ts';

interface Traces {
  traceErasure(erasure: Erasure, part: ErasurePart): Promise<boolean>;
  settleErasure(workspace: string, decisions: readonly string[]): Promise<void>;
}

const SETTLED_AT_ONCE = 500;

export async function eraseFound(
  { traceErasure, settleErasure }: Traces,
  found: Prunable,
  erasure: Erasure,
  erase: () => Promise<number>,
): Promise<number> {
  await traceFound(traceErasure, found, erasure);
  const emptied = await erase();
  // Last of all: until here, the same erasure again completes what this one began.
  const named = [...(found.only?.decisions ?? [])];
  for (let from = 0; from < named.length; from += SETTLED_AT_ONCE)
    await settleErasure(found.workspace!, named.slice(from, from + SETTLED_AT_ONCE));
  return emptied;
}
