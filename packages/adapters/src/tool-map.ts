/** For adapters that see every tool of an agent: which calls are writes, which only read. The rest is refused. */
import type { WriteIntent } from '@writecheck/client';
import { type GuardedCall, type GuardSettings, guardCall, refuseUnlisted } from './guard-call.ts';

/** The arguments come from a model: nothing about them is known. */
export type IntentFromArgs = (args: unknown) => WriteIntent | PromiseLike<WriteIntent>;

export interface ToolMap {
  /** Tool name to intent; the tool runs only on an allow. */
  readonly write: Readonly<Record<string, IntentFromArgs>>;
  /** Tools that change nothing and run unasked. */
  readonly read?: readonly string[];
}

export interface MappedCall<T> {
  readonly tool: string;
  readonly args: unknown;
  readonly run: () => T | PromiseLike<T>;
  readonly signal?: AbortSignal | undefined;
}

export async function guardMapped<T>(
  settings: GuardSettings & ToolMap,
  { tool, args, run, signal }: MappedCall<T>,
): Promise<GuardedCall<T>> {
  // A tool in both lists is a write. Own names only: `constructor` is in no list.
  if (Object.hasOwn(settings.write, tool)) {
    const makeIntent = () => settings.write[tool]!(args);
    return guardCall(settings, { tool, makeIntent, run, signal });
  }
  if (settings.read?.includes(tool)) return { kind: 'executed', result: await run() };
  return refuseUnlisted(settings, tool);
}
