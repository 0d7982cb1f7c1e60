/** Rows that both databases store in the same way, and the port values they represent. */
import type { Change } from './port/changes.ts';
import type { ReplayableWhile, StoredAnswer } from './port/commit.ts';
import type { DecisionSummary } from './port/decisions.ts';

export interface AnswerRow {
  readonly request_digest: string;
  readonly expires_ms: number;
  readonly replayable_while: string;
  readonly response: Buffer;
}

export function storedAnswer(row: AnswerRow): StoredAnswer {
  return {
    requestDigest: row.request_digest,
    expiresAtMs: row.expires_ms,
    replayableWhile: JSON.parse(row.replayable_while) as ReplayableWhile,
    response: row.response,
  };
}

export interface DecisionRow {
  readonly position: number;
  readonly at_ms: number;
  readonly decision_id: string;
  readonly audit_id: string;
  readonly key_id: string;
  readonly timestamp: string;
  readonly decision: DecisionSummary['decision'];
  readonly evaluated_decision: DecisionSummary['decision'];
  readonly reason_code: string;
  readonly system: string;
  readonly object_type: string | null;
  readonly object_ref: string | null;
  readonly field: string | null;
  readonly operation: string | null;
  readonly workflow_id: string | null;
  readonly run_id: string | null;
  /** The end of an allow's validity; null for a pause or block. */
  readonly valid_until_ms: number | null;
}

export function summaryOf(row: DecisionRow): DecisionSummary {
  return {
    decisionId: row.decision_id,
    auditId: row.audit_id,
    keyId: row.key_id,
    atMs: row.at_ms,
    timestamp: row.timestamp,
    decision: row.decision,
    evaluatedDecision: row.evaluated_decision,
    reasonCode: row.reason_code,
    system: row.system,
    objectType: row.object_type,
    objectRef: row.object_ref,
    field: row.field,
    operation: row.operation,
    workflowId: row.workflow_id,
    runId: row.run_id,
  };
}

export type NotedKind = Exclude<Change['kind'], 'everything'>;

/** A watcher that is further behind than this drops everything it cached. */
export const CHANGES_KEPT = 1_000;

export interface ChangeRow {
  readonly number: number;
  readonly kind: NotedKind;
  readonly workspace: string;
  readonly subject: string;
}

export function changeOf({ kind, workspace, subject }: ChangeRow): Change {
  switch (kind) {
    case 'key':
      return { kind, workspace, keyId: subject };
    case 'policy':
      return { kind, workspace };
    case 'review':
      return { kind, workspace, reviewId: subject };
    case 'person':
      return { kind, workspace, personId: subject };
    default:
      // A newer version running beside this one wrote it: this version cannot know what it changes.
      return { kind: 'everything' };
  }
}
