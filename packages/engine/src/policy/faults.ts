/** The errors of a bundle and their places, in messages that name the fix. */
import { nearestName, shortened } from '@writecheck/contract';

export interface PolicyFault {
  readonly documentIndex: number;
  /** JSON pointer inside the document; empty for the document itself. */
  readonly pointer: string;
  readonly message: string;
  /** Counted from 1, inside the condition that `pointer` names. */
  readonly line?: number;
  readonly column?: number;
}

/** Unlike `pointerTo` of the contract it shortens nothing: the place is looked up in the document. */
export function exactPointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The user's input in backticks, shortened if it is long. */
export function quoted(text: string): string {
  return `\`${shortened(text).toWellFormed()}\``;
}

export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null
    ? `; known are ${known.map(quoted).join(', ')}`
    : `; did you mean ${quoted(nearest)}`;
}
