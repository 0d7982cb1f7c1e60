/** Notices approvals that a decision used although the export does not show the verdicts behind them. */
import { REVIEW_DESK } from '@writecheck/contract';
import { decodeBase64, type ExportLine, type RecordFields, readRecord } from '@writecheck/ledger';
import { entryIn } from './export-lines.ts';

export interface UnshownApproval {
  readonly review: string;
  readonly usedBy: string;
}

/**
 * A review is shown if its opening, an approval and its closing are: pruning and filtering select by time or by
 * object, so the verdicts in between are then shown too.
 */
const NEEDED = ['opened', 'verdict', 'approved'] as const;

/** Lines come in any order of logs, so only the end of the file shows what is missing. Memory grows with the number of reviews. */
export class UsedApprovals {
  readonly #shown = new Map<string, Set<string>>();
  readonly #usedBy = new Map<string, string>();

  add(line: ExportLine): void {
    if (line.kind !== 'entry') return;
    if (line.record === undefined) this.#addReview(line);
    else this.#addDecision(line, line.record);
  }

  #addReview(line: ExportLine): void {
    const entry = entryIn(line);
    if (entry?.kind !== 'review') return;
    if (entry.event === 'verdict' && entry.details.verdict !== 'approve') return;
    const events = this.#shown.get(entry.review) ?? new Set();
    events.add(entry.event);
    this.#shown.set(entry.review, events);
  }

  #addDecision(line: ExportLine, record: string): void {
    const bytes = decodeBase64(record)!;
    // Most records need no parsing.
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(REVIEW_DESK)) return;
    const entry = entryIn(line);
    if (entry?.kind !== 'decision' || entry.leaf.decision !== 'allow') return;
    const found = recordIn(bytes);
    if (found === null) return;
    const { consumes, restsOn } = found.decision;
    for (const { source, jti } of [...consumes, ...restsOn]) {
      // An item is named by the review and the control it speaks for.
      if (source === REVIEW_DESK) this.#usedBy.set(jti.split(':', 1)[0]!, entry.leaf.decision_id);
    }
  }

  unshown(): readonly UnshownApproval[] {
    return [...this.#usedBy]
      .filter(([review]) => !NEEDED.every((event) => this.#shown.get(review)?.has(event)))
      .map(([review, usedBy]) => ({ review, usedBy }));
  }
}

/** Null for a record of a newer version, about which nothing is known. */
export function recordIn(record: Uint8Array): RecordFields | null {
  try {
    return readRecord(record);
  } catch {
    return null;
  }
}
