/** The result of reconciling, in the shape that `--json` prints. */
import type { UnreadableLine } from './change.ts';
import { CHANGE_CLASSES, isBypass } from './classes.ts';
import type { JudgedAllows } from './outcomes.ts';
import type { ClassCounts, Finding, Tally } from './tally.ts';

export const REPORT_VERSION = 'writecheck.reconcile.v1';

export interface ReconcileReport extends JudgedAllows {
  readonly version: typeof REPORT_VERSION;
  readonly system: string;
  readonly windowSeconds: number;
  readonly skewSeconds: number;
  /** The first and the last change; null if there is none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly decisions: {
    readonly read: number;
    /** Entries that the export shows by their hash alone. */
    readonly hidden: number;
  };
  readonly changes: { readonly read: number; readonly unreadable: number };
  /** Operations that no mapping of `--operations` makes comparable; only if there are any. */
  readonly notComparable?: { readonly changes: number; readonly decisions: number };
  readonly classes: ClassCounts;
  /** The changes of `other_value` and `nobody_asked` that repeat a covered one; only if there are any. */
  readonly doubleWrites?: number;
  readonly byActor: Tally['byActor'];
  readonly byField: Tally['byField'];
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  readonly unreadable: readonly Pick<UnreadableLine, 'line' | 'message'>[];
}

/** The changes that no allow covers. */
export function bypassesIn({ classes }: ReconcileReport): number {
  return CHANGE_CLASSES.filter(isBypass).reduce((sum, one) => sum + classes[one], 0);
}

/** The reports that the changes contradict. */
export function contradictedIn({ outcomes }: ReconcileReport): number {
  return outcomes.doneNotFound + outcomes.failedButFound;
}

/** The changes that cannot be compared. */
export function notComparedIn({ notComparable }: ReconcileReport): number {
  return notComparable?.changes ?? 0;
}

const BYPASSED_EXIT_CODE = 5;
const UNKNOWN_EXIT_CODE = 2;

export function exitCodeOf(report: ReconcileReport): number {
  if (bypassesIn(report) > 0 || contradictedIn(report) > 0) return BYPASSED_EXIT_CODE;
  return report.changes.unreadable > 0 || notComparedIn(report) > 0 ? UNKNOWN_EXIT_CODE : 0;
}
