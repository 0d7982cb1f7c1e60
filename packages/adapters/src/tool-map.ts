/**
 * Says which of an agent's calls are writes and which only read, for adapters that see every tool; others are
 * refused.
 */
import type { AllowDecision, WriteIntent } from '@writecheck/client';
import {
  type GuardedCall,
  type GuardSettings,
  guardCall,
  refuseUnlisted,
  type ToolCall,
} from './guard-call.ts';

/** The arguments come from a model: nothing about them is known. */
export type IntentFromArgs = (args: unknown) => WriteIntent | PromiseLike<WriteIntent>;

export interface ToolMap {
  /** Tool name to intent; the tool runs only on an allow. */
  readonly write: Readonly<Record<string, IntentFromArgs>>;
  /** Tools that change nothing and run without a check. */
  readonly read?: readonly string[];
}

export interface MappedCall<T> extends Omit<ToolCall<T>, 'makeIntent' | 'run'> {
  readonly args: unknown;
  /** Called without a decision for a tool that only reads. */
  readonly run: (decision?: AllowDecision) => T | PromiseLike<T>;
}

export async function guardMapped<T>(
  settings: GuardSettings & ToolMap,
  { args, run, ...call }: MappedCall<T>,
): Promise<GuardedCall<T>> {
  const { tool } = call;
  // A tool in both lists is a write. Own names only: `constructor` is in no list.
  if (Object.hasOwn(settings.write, tool)) {
    const makeIntent = () => settings.write[tool]!(args);
    return guardCall(settings, { ...call, args, makeIntent, run });
  }
  if (settings.read?.includes(tool)) return { kind: 'executed', result: await run() };
  return refuseUnlisted(settings, tool);
}
