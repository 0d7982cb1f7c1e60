/** The interface to the charged checks, and to counts of decisions by outcome. */
export interface Usage {
  readonly development: number;
  readonly live: number;
}

export interface DailyUsage {
  /** `2026-11-15`, UTC. */
  readonly day: string;
  readonly keyId: string;
  readonly checks: number;
}

/** Decisions of one period, by outcome. */
export interface DecisionCount {
  /** The start of an hour or of a day, UTC. */
  readonly fromMs: number;
  readonly allow: number;
  readonly pause: number;
  readonly block: number;
  /** Those among them whose evaluated decision differs. */
  readonly warned: number;
}

export interface UsageReading {
  /** Reads one month's usage by day and key from the search index. */
  usageByDay(workspace: string, period: string): Promise<readonly DailyUsage[]>;
  /**
   * Oldest first, without hours in which nothing was decided. Whole hours: from the one that contains `fromMs` to the
   * last that begins before `toMs`. Pruning does not change these counts.
   */
  countDecisions(
    workspace: string,
    fromMs: number,
    toMs: number,
    step: 'hour' | 'day',
  ): Promise<readonly DecisionCount[]>;
}
