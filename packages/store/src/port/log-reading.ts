/** Reading the log at length from a thread of its own, without the store's other threads. */
import type { StoredSegment } from '../log/segment.ts';

/** The place of a log, which can be passed to a thread. */
export type LogPlace =
  | { readonly kind: 'sqlite'; readonly folder: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** A part of the store in order of time: one log. */
export interface LogSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface TimedSegment extends StoredSegment {
  readonly oldestMs: number;
  /** No record in it is newer. */
  readonly latestMs: number;
}

export interface TimeRange {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export interface LogReading {
  /** The spans that the log has now. INVARIANT: later entries get positions outside of these. */
  spans(): Promise<readonly LogSpan[]>;
  /** The segment of a span at or before a position. */
  segmentAt(
    position: number,
    span: LogSpan,
  ): Promise<Pick<TimedSegment, 'position' | 'count' | 'latestMs'> | null>;
  /** Up to `limit` segments from this position on that may hold records of the range. */
  segmentsFrom(
    position: number,
    span: LogSpan,
    range: TimeRange,
    limit: number,
  ): Promise<readonly TimedSegment[]>;
  /** How many decisions pruning has emptied, on the UTC days from one to the other (`2026-11-15`), both included. */
  prunedDecisions(workspace: string, fromDay: string, toDay: string): Promise<number>;
  /** The documents of the newest revision with that digest. */
  documentsOf(workspace: string, digest: string): Promise<string | null>;
  /** Maps each key of a workspace to the first of its rotation chain. */
  firstKeys(workspace: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}
