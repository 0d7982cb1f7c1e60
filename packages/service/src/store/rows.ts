/** Rows that both databases store in the same way, and the port values they represent. */
import type {
  Change,
  DecisionSummary,
  NewKey,
  PolicyRevision,
  StoredAnswer,
  StoredKey,
  StoredPolicy,
} from './port.ts';

export interface KeyRow {
  readonly id: string;
  readonly workspace: string;
  readonly kind: StoredKey['kind'];
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly last_used_ms: number | null;
  readonly revoked_ms: number | null;
  readonly rotated_ms: number | null;
  readonly rotated_from: string | null;
  readonly held_by: string | null;
  readonly made_by: string | null;
  readonly revoked_by: string | null;
  readonly allowed_systems: string | null;
  readonly allowed_workflows: string | null;
}

function listOf(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as readonly string[]);
}

export function storedKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    workspace: row.workspace,
    kind: row.kind,
    name: row.name,
    hash: row.hash,
    hint: row.hint,
    createdAtMs: row.created_ms,
    expiresAtMs: row.expires_ms,
    lastUsedAtMs: row.last_used_ms,
    revokedAtMs: row.revoked_ms,
    rotatedAtMs: row.rotated_ms,
    rotatedFrom: row.rotated_from,
    heldBy: row.held_by,
    madeBy: row.made_by,
    revokedBy: row.revoked_by === null ? null : (JSON.parse(row.revoked_by) as StoredKey['revokedBy']),
    allowedSystems: listOf(row.allowed_systems),
    allowedWorkflows: listOf(row.allowed_workflows),
  };
}

export const NEW_KEY_COLUMNS = [
  'id',
  'workspace',
  'kind',
  'name',
  'hash',
  'hint',
  'created_ms',
  'expires_ms',
  'allowed_systems',
  'allowed_workflows',
  'rotated_from',
  'held_by',
  'made_by',
] as const;

/** The key as it is stored, and its values in the order of `NEW_KEY_COLUMNS`. */
export function newKeyRow(workspace: string, key: NewKey, rotatedFrom: string | null) {
  const { allowedSystems, allowedWorkflows, heldBy = null, madeBy = null } = key;
  const values: readonly (string | number | null)[] = [
    key.id,
    workspace,
    key.kind,
    key.name,
    key.hash,
    key.hint,
    key.createdAtMs,
    key.expiresAtMs,
    allowedSystems === null ? null : JSON.stringify(allowedSystems),
    allowedWorkflows === null ? null : JSON.stringify(allowedWorkflows),
    rotatedFrom,
    heldBy,
    madeBy,
  ];
  const unused = { lastUsedAtMs: null, revokedAtMs: null, revokedBy: null, rotatedAtMs: null };
  const stored: StoredKey = { ...key, workspace, ...unused, rotatedFrom, heldBy, madeBy };
  return { values, stored };
}

/** Why a key cannot be rotated; null if it can. */
export function inactiveBecause(row: KeyRow, nowMs: number): 'rotated' | 'expired' | 'revoked' | null {
  if (row.revoked_ms !== null) return 'revoked';
  if (row.rotated_ms !== null) return 'rotated';
  return row.expires_ms !== null && row.expires_ms <= nowMs ? 'expired' : null;
}

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
    replayableWhile: JSON.parse(row.replayable_while) as StoredAnswer['replayableWhile'],
    response: row.response,
  };
}

export interface PolicyRow {
  readonly workspace: string;
  readonly revision: number;
  readonly digest: string;
  readonly documents: string;
  readonly author_key: string | null;
  readonly created_ms: number;
  readonly rollback_of: number | null;
  readonly author_person: string | null;
  readonly message: string | null;
}

export function revisionOf(row: Omit<PolicyRow, 'documents'>): PolicyRevision {
  return {
    workspace: row.workspace,
    revision: row.revision,
    digest: row.digest,
    authorKeyId: row.author_key,
    authorPersonId: row.author_person,
    createdAtMs: row.created_ms,
    rollbackOf: row.rollback_of,
    message: row.message,
  };
}

export function policyOf(row: PolicyRow | undefined): StoredPolicy | null {
  return row === undefined ? null : { ...revisionOf(row), documents: row.documents };
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
      // A newer version running beside this one wrote it: this version does not know what it concerns.
      return { kind: 'everything' };
  }
}
