/** The target that a change and a decision must share: a field of an object, or an operation on it. */
import { asciiLower } from '@writecheck/engine';

export type Target =
  | { readonly objectType: string; readonly field: string; readonly objectRef: string }
  | { readonly operation: string; readonly objectRef: string };

/** Equal for the same target only. Names are compared case-insensitively in ASCII, the ref exactly. */
export function targetText(target: Target): string {
  const names =
    'operation' in target
      ? [asciiLower(target.operation)]
      : [asciiLower(target.objectType), asciiLower(target.field)];
  return JSON.stringify([...names, target.objectRef]);
}
