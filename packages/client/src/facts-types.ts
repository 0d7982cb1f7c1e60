/** The types of the source of facts, and of requests to it. */
import type { EvidenceItem, WriteIntent } from '@writecheck/contract';

/** One control whose facts a condition or limit may read. Null if the policy says nothing. */
export interface NeededFacts {
  readonly controlId: string;
  readonly acceptedSources: readonly string[] | null;
  readonly maxAgeSeconds: number | null;
  readonly assurance: string | null;
  readonly bind: string | null;
  readonly use: string | null;
  readonly [member: string]: unknown;
}

/** A reader, as `writecheck facts serve` runs it. */
export interface FactsReader {
  /** Its URL; `/facts` is added if it has no path. */
  readonly url: string;
  readonly token: string;
}

/** A function that gives signed evidence items, or a reader that is asked for them. */
export type FactsSource =
  | FactsReader
  | ((
      needed: readonly NeededFacts[],
      intent: WriteIntent,
    ) => readonly EvidenceItem[] | PromiseLike<readonly EvidenceItem[]>);
