/** Well-formed values for the store's contract suite: only what a test names differs from the usual. */
import { createHash, randomBytes } from 'node:crypto';
import type { ConsumedAttestation, Decision } from '@writecheck/contract';
import { type RecordPieces, recordBytes } from '@writecheck/ledger';
import { NO_BUNDLE } from '../../src/commit/admit.ts';
import type { Acting } from '../../src/port/acting.ts';
import type { CommitRequest, CommitResult, KeyKind, NewKey, Store, Workspace } from '../../src/port.ts';

/** A moment in November 2026 that advances with every use, so that the log's time never stands still. */
let clockMs = Date.UTC(2026, 10, 15);

export const idOf = (prefix: string, atMs = clockMs): string =>
  `${prefix}${atMs.toString(16).padStart(12, '0')}7${randomBytes(10).toString('hex').slice(1)}`;

/** A digest in the log's form. */
export const digestNamed = (name: string): string =>
  `sha256:${createHash('sha256').update(name).digest('hex')}`;

/** An operator, who may change anything. */
export const COMMAND_LINE: Acting = { kind: 'operator', id: 'command_line' };

export const newKey = (kind: KeyKind): NewKey => {
  const hash = createHash('sha256').update(randomBytes(8)).digest('hex');
  return {
    ...{ id: idOf('key_'), kind, name: `a ${kind} key`, hash, hint: `wck_…${hash.slice(-4)}` },
    ...{ createdAtMs: 1, expiresAtMs: null, allowedSystems: null, allowedWorkflows: null },
  };
};

/** The standing of a workspace that an operator creates. */
export const NEW_STANDING = { state: 'active', signedUp: false, liveGranted: false } as const;

export const newWorkspace = (): { readonly workspace: Workspace; readonly keys: readonly NewKey[] } => ({
  workspace: { id: idOf('ws_'), name: 'a workspace', createdAtMs: 1, ...NEW_STANDING },
  keys: [newKey('owner'), newKey('development')],
});

export interface RequestOptions {
  readonly atMs?: number;
  readonly keyId?: string;
  readonly keyKind?: CommitRequest['keyKind'];
  readonly limit?: number | null;
  readonly freezeNumber?: number;
  readonly decision?: Decision;
  readonly evaluatedDecision?: Decision;
  readonly reasonCode?: string;
  readonly system?: string;
  readonly objectRef?: string;
  readonly workflowId?: string;
  readonly runId?: string;
  readonly consumes?: readonly ConsumedAttestation[];
  readonly restsOn?: readonly ConsumedAttestation[];
  readonly claim?: { readonly key: string; readonly response: string; readonly expiresAtMs: number };
}

const AROUND = 5;

/** Cut anywhere, because a store does not care where the intent begins. */
export const recordOf = (text: string): RecordPieces => ({
  before: text.slice(0, AROUND),
  intent: Buffer.from(text.slice(AROUND, -1)),
  after: '}',
});

export const textOf = (record: RecordPieces): string => Buffer.from(recordBytes(record)).toString();

export const newRequest = (workspace: string, options: RequestOptions = {}): CommitRequest => {
  clockMs += 1;
  const { atMs = clockMs, decision = 'allow', reasonCode = 'requirements_met', keyId = 'key_1' } = options;
  const { system = 'crm', objectRef, workflowId, runId, consumes = [], restsOn = [] } = options;
  const { keyKind = 'live', limit = null, freezeNumber = 0, claim } = options;
  clockMs = Math.max(clockMs, atMs);
  const timestamp = new Date(atMs).toISOString();
  const intent = { system, objectType: 'kontakt ü', objectRef, workflowId, runId };
  return {
    ...{ workspace, keyId, keyKind, freezeNumber, quota: limit, bundle: NO_BUNDLE, atMs },
    record: recordOf(JSON.stringify({ timestamp, intent })),
    leaf: {
      ...{ decision_id: idOf('dec_', atMs), audit_id: idOf('aud_', atMs), keyId, timestamp, decision },
      ...{
        evaluatedDecision: options.evaluatedDecision ?? decision,
        reason_code: reasonCode,
        intentDigest: `sha256:${'0'.repeat(64)}`,
      },
      ...{ policyRef: null, validUntil: null },
    },
    consumes,
    restsOn,
    idempotency:
      claim === undefined
        ? null
        : {
            ...claim,
            requestDigest: 'r',
            claim: null,
            replayableWhile: JSON.stringify({ validUntilMs: atMs + 500, policyRef: null, restsOn: [] }),
          },
  };
};

/** A commit without reports. */
export async function commitTo(
  store: Pick<Store, 'commit'>,
  requests: readonly CommitRequest[],
): Promise<readonly CommitResult[]> {
  return (await store.commit(requests, [])).decided;
}
