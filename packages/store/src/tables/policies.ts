/** The revisions of a workspace's policy. */
import type { PolicyAppliedEntry } from '@writecheck/ledger/log';
import { notedEntries } from '../commit/new-entries.ts';
import type { AppendPolicyOutcome, NewPolicy, PolicyRevision, StoredPolicy } from '../port/policies.ts';
import { begin } from './acting.ts';
import { mapping } from './mapping.ts';
import {
  type Append,
  append,
  holdLogs,
  hurry,
  insertion,
  noteChange,
  type Read,
  sql,
  text,
} from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.policy (
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  revision bigint NOT NULL,
  digest text NOT NULL,
  documents text NOT NULL,
  author_key text,
  created_ms bigint NOT NULL,
  rollback_of bigint,
  author_person text,
  -- Whether it may be looser than the revision it replaced.
  loosens boolean NOT NULL,
  message text,
  -- Whether it has a Limit: then a check is committed only under the running bundle.
  has_limits boolean NOT NULL,
  PRIMARY KEY (workspace, revision)
);
`;

const REVISION = mapping<PolicyRevision>({
  workspace: 'workspace',
  revision: 'revision',
  digest: 'digest',
  authorKeyId: 'author_key',
  authorPersonId: 'author_person',
  createdAtMs: 'created_ms',
  rollbackOf: 'rollback_of',
  message: 'message',
});
const REVISION_COLUMNS = text(REVISION.columns.join(', '));

interface PolicyRow {
  readonly documents: string;
}

/** A text that resembles one elsewhere in the bundle only makes commits compare more often. */
function hasLimits(documents: string): boolean {
  return documents.includes('"kind":"Limit"');
}

function policyOf(row: PolicyRow | undefined): StoredPolicy | null {
  return row === undefined ? null : { ...REVISION.storedOf(row), documents: row.documents };
}

/** Rejects with `ActingEnded` if its author may no longer apply policies. */
export function* appendPolicy(policy: NewPolicy): Append<AppendPolicyOutcome> {
  const { workspace, digest, expectedDigest, createdAtMs, rollbackOf, by } = policy;
  yield* begin(workspace, by, createdAtMs);
  const running = yield* currentPolicy(workspace);
  const runningDigest = running?.digest ?? null;
  if (expectedDigest !== undefined && expectedDigest !== runningDigest)
    return { kind: 'conflict', runningDigest };
  if (running?.digest === digest) return { kind: 'unchanged', revision: running.revision };
  // INVARIANT: no commit is in progress while a bundle with limits is added or replaced, and the next one sees
  // it.
  if (hasLimits(policy.documents) || hasLimits(running?.documents ?? '')) {
    yield* hurry();
    yield* holdLogs('all');
  }
  const revision = (running?.revision ?? 0) + 1;
  const row = {
    ...REVISION.rowOf({
      workspace,
      revision,
      digest,
      authorKeyId: by.kind === 'owner_key' || by.kind === 'service_key' ? by.id : null,
      authorPersonId: by.kind === 'person' ? by.id : null,
      createdAtMs,
      rollbackOf,
      message: policy.message ?? null,
    }),
    documents: policy.documents,
    loosens: policy.loosens === true,
    has_limits: hasLimits(policy.documents),
  };
  yield* sql`INSERT INTO writecheck.policy ${insertion(row)}`;
  yield* noteChange('policy', workspace, digest);
  const entry: PolicyAppliedEntry = {
    kind: 'policy.applied',
    workspace,
    timestamp: new Date(createdAtMs).toISOString(),
    by,
    revision,
    digest,
    ...(rollbackOf !== null && { rollbackOf }),
    ...(policy.loosens === true && { loosened: true }),
  };
  yield* append((log) => notedEntries(log, [entry]));
  return { kind: 'appended', revision };
}

export function* currentPolicy(workspace: string): Read<StoredPolicy | null> {
  const [row] = yield* sql<PolicyRow>`SELECT * FROM writecheck.policy WHERE workspace = ${workspace}
    ORDER BY revision DESC LIMIT 1`;
  return policyOf(row);
}

export function* findPolicy(workspace: string, revision: number): Read<StoredPolicy | null> {
  const [row] = yield* sql<PolicyRow>`SELECT * FROM writecheck.policy
    WHERE workspace = ${workspace} AND revision = ${revision}`;
  return policyOf(row);
}

/** Newest first, without documents; all of them unless a limit is given. */
export function* listPolicies(
  workspace: string,
  limit = Number.MAX_SAFE_INTEGER,
): Read<readonly PolicyRevision[]> {
  const rows =
    yield* sql<object>`SELECT ${REVISION_COLUMNS} FROM writecheck.policy WHERE workspace = ${workspace} ORDER BY revision DESC LIMIT ${limit}`;
  return rows.map(REVISION.storedOf);
}
