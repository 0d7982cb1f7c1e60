/** Collects from the lines of an export who approved which write, and which decision used the approval. */
import { REVIEW_DESK } from '@writecheck/contract';
import {
  decodeBase64,
  type ExportLine,
  type LoggedReviewEntry,
  type RecordedIntent,
  type ReviewEntry,
  readRecord,
  recordedIntent,
} from '@writecheck/ledger';
import { entryIn } from './export-lines.ts';

const WRITE_MEMBERS = [
  'system',
  'objectType',
  'objectRef',
  'field',
  'operation',
  'agentValue',
  'authorityValue',
] as const;

/** All null if the export does not show the decision that asked. */
type Write = { readonly [member in (typeof WRITE_MEMBERS)[number]]: string | null };

export interface Approval extends Write {
  readonly review: string;
  readonly intentDigest: string;
  readonly controls: readonly string[];
  readonly by: NonNullable<ReviewEntry['by']>;
  readonly identity: string | null;
  /** The passkey that signed it; null without one. */
  readonly credential: string | null;
  readonly at: string;
  /** When the review had all its approvals. */
  readonly approvedAt: string;
  readonly usedBy: string | null;
  readonly usedAt: string | null;
  readonly cancelledAt: string | null;
}

interface Use {
  readonly decisionId: string;
  readonly at: string;
}

/** Lines are read twice: the decision that a review came from precedes the review, and most decisions have none. */
export class ApprovalCollector {
  readonly #events = new Map<string, LoggedReviewEntry[]>();
  readonly #uses = new Map<string, Use>();
  readonly #wanted = new Set<string>();
  readonly #writes = new Map<string, Write>();

  /** First pass: events of reviews, and decisions that used them. */
  collect(line: ExportLine): void {
    if (line.kind !== 'entry') return;
    const entry = entryIn(line);
    if (entry?.kind === 'review') {
      const events = this.#events.get(entry.review) ?? [];
      events.push(entry);
      this.#events.set(entry.review, events);
      if (entry.event === 'opened') this.#wanted.add(String(entry.details.decisionId));
    }
    if (entry?.kind !== 'decision' || entry.leaf.decision !== 'allow') return;
    const record = line.record === undefined ? null : decodeBase64(line.record);
    // Most records need no parsing.
    if (record === null || !Buffer.from(record).includes(REVIEW_DESK)) return;
    const { decision, decisionId } = readRecord(record);
    for (const { source, jti } of [...decision.consumes, ...decision.restsOn]) {
      // An item is named by the review and the control it speaks for.
      const [review] = jti.split(':');
      if (source === REVIEW_DESK) this.#uses.set(review!, { decisionId, at: entry.leaf.timestamp });
    }
  }

  /** Second pass: the approved writes. */
  complete(line: ExportLine): void {
    if (line.kind !== 'entry' || line.record === undefined) return;
    const entry = entryIn(line);
    if (entry?.kind !== 'decision' || !this.#wanted.has(entry.leaf.decision_id)) return;
    this.#writes.set(entry.leaf.decision_id, writeOf(recordedIntent(decodeBase64(line.record)!)));
  }

  /** Ordered by time. */
  approvals(): readonly Approval[] {
    return [...this.#events.values()]
      .flatMap((events) => this.#approvalsOf(events))
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  }

  #approvalsOf(events: LoggedReviewEntry[]): readonly Approval[] {
    // Replicas write to separate logs, so across logs only the time gives the order.
    events.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
    const approvedAt = timeOf(events, 'approved');
    if (approvedAt === null) return [];
    const opened = events.find(({ event }) => event === 'opened');
    const write = this.#writes.get(String(opened?.details.decisionId)) ?? writeOf({});
    const { review, intentDigest } = events[0]!;
    const use = this.#uses.get(review);
    return standing(events).map((verdict) => ({
      review,
      ...write,
      intentDigest,
      controls: listOf(verdict.details.controls),
      by: verdict.by!,
      identity: textOrNull(verdict.details.identity),
      credential: credentialOf(verdict.details.assertion),
      at: verdict.timestamp,
      approvedAt,
      usedBy: use?.decisionId ?? null,
      usedAt: use?.at ?? null,
      cancelledAt: timeOf(events, 'cancelled'),
    }));
  }
}

function writeOf(intent: Partial<RecordedIntent>): Write {
  return Object.fromEntries(WRITE_MEMBERS.map((member) => [member, intent[member] ?? null])) as Write;
}

/** The approvals that were neither withdrawn nor replaced. */
function standing(events: readonly LoggedReviewEntry[]): readonly LoggedReviewEntry[] {
  const byAuthor = new Map<string, LoggedReviewEntry>();
  for (const entry of events) {
    if (entry.by === null) continue;
    const author = `${entry.by.kind} ${entry.by.id}`;
    if (entry.event === 'withdrawn') byAuthor.delete(author);
    if (entry.event === 'verdict' && entry.details.verdict === 'approve') byAuthor.set(author, entry);
  }
  return [...byAuthor.values()];
}

function timeOf(events: readonly LoggedReviewEntry[], wanted: ReviewEntry['event']): string | null {
  return events.find(({ event }) => event === wanted)?.timestamp ?? null;
}

function credentialOf(assertion: unknown): string | null {
  return typeof assertion === 'object' && assertion !== null && 'id' in assertion
    ? textOrNull(assertion.id)
    : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
