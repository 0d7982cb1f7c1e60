/** The change history of a system of record, as it is read from a file. */

/** The members of a change. `actor` may be missing, and `operation` counts only if `--columns` names its column. */
export const CHANGE_MEMBERS = [
  'time',
  'objectType',
  'objectRef',
  'field',
  'newValue',
  'actor',
  'operation',
] as const;

export type ChangeMember = (typeof CHANGE_MEMBERS)[number];

export interface Moment {
  /** Epoch milliseconds, truncated. */
  readonly ms: number;
  /** Picoseconds beyond `ms`. */
  readonly beyondMs: number;
}

export interface Change {
  readonly kind: 'change';
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  readonly at: Moment;
  readonly objectType: string;
  readonly objectRef: string;
  readonly field: string;
  readonly newValue: string;
  /** Empty if the file does not contain it. */
  readonly actor: string;
  /** Empty for a write of a field; for an operation, `objectType`, `field` and `newValue` may be empty. */
  readonly operation: string;
}

export interface UnreadableLine {
  readonly kind: 'unreadable';
  readonly line: number;
  readonly message: string;
}

/** The smallest whole millisecond that is not before the moment: `at <= limit` is `ceilMs(at) <= limit`. */
export function ceilMs({ ms, beyondMs }: Moment): number {
  return beyondMs === 0 ? ms : ms + 1;
}
