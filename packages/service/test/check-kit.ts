/** A check without a transport for tests: real SQLite, real policies, a clock that the test can move. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '@writecheck/engine';
import {
  type CheckingKeyKind,
  type FoundKey,
  type NewKey,
  type Store,
  StoreUnavailable,
} from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { COMMAND_LINE, newKey, newWorkspace } from '../../store/test/store-contract/store-contract-values.ts';
import type { QueueLimits } from '../src/check/check-queue.ts';
import { type CheckParts, checkWrite } from '../src/check/check-write.ts';
import { GROUP_COMMIT_LIMITS, GroupCommit, type GroupCommitLimits } from '../src/check/group-commit.ts';
import { RunningKeys } from '../src/check/idempotency.ts';
import { KnownDraws } from '../src/check/known-draws.ts';
import { type CheckCall, digestOf, readWrite } from '../src/check/parse-request.ts';
import { RecentAllows } from '../src/check/recent-allows.ts';
import { Turns } from '../src/check/turns.ts';
import { UsedUp } from '../src/check/used-up.ts';
import { failedAnswer } from '../src/edge/failed-answer.ts';
import { actorOfKey } from '../src/exchange/actor.ts';
import type { Answer } from '../src/exchange/answer.ts';
import { freezeBook } from '../src/features/freezes/freeze-book.ts';
import { PolicyBook } from '../src/features/policies/policy-book.ts';
import { PolicyJobs } from '../src/features/policies/policy-jobs.ts';
import { SteadyClock } from '../src/support/clocks/steady-clock.ts';
import { createLog } from '../src/support/observability/log.ts';

const NO_LOG = createLog('silent');
const ATTESTER = generateKeyPairSync('ed25519');

export const APPROVAL_ONCE = [
  {
    kind: 'ControlPack',
    id: 'pack',
    controls: { approval: { assurance: 'attested', use: 'once', maxAge: '1h' } },
  },
  {
    kind: 'EvidenceSource',
    id: 'desk',
    keys: { keys: [{ ...ATTESTER.publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
  },
];

export const intentOf = (changes: object = {}): Record<string, unknown> => ({
  ...{
    system: 'crm',
    objectType: 'customer',
    objectRef: 'C-1',
    field: 'email',
    agentValue: 'ada@example.com',
  },
  ...{
    requiredControls: ['identity'],
    controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
  },
  ...changes,
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The intent with an approval that the registered source has signed for exactly this intent. */
export const approved = (workspace: string, jti: string, nowMs: number, changes: object = {}) => {
  const intent = intentOf({ requiredControls: ['approval'], controlEvidence: [], ...changes });
  const checkedAt = new Date(nowMs).toISOString();
  const head = part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' });
  const claims = { aud: workspace, jti, controlId: 'approval', result: 'PASS', checkedAt };
  const signed = `${head}.${part({ ...claims, intentDigest: digestOf(intent as never) })}`;
  const attestation = `${signed}.${sign(null, Buffer.from(signed), ATTESTER.privateKey).toString('base64url')}`;
  return {
    ...intent,
    controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS', attestation }],
  };
};

export interface Asked {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as any caller would read it
  readonly json: any;
}

export interface CheckKit {
  readonly store: Store;
  readonly folder: string;
  readonly workspace: string;
  readonly parts: CheckParts;
  clockMs: number;
  ask(
    body: unknown,
    options?: {
      readonly kind?: CheckingKeyKind;
      readonly key?: string;
      readonly redeem?: string;
      readonly scope?: Partial<NewKey>;
    },
  ): Promise<Asked>;
  applyPolicy(documents: readonly unknown[]): Promise<void>;
  /** A second set of parts on the same folder, as another process would have. */
  another(): Promise<CheckKit>;
  close(): Promise<void>;
}

export interface KitOptions {
  readonly folder?: string;
  readonly workspace?: string;
  readonly limits?: GroupCommitLimits;
  readonly admission?: QueueLimits;
  readonly throughStore?: (store: Store) => Store;
  /** An open store; closing the kit leaves it open. */
  readonly store?: Store;
}

export const openKit = async (options: KitOptions = {}): Promise<CheckKit> => {
  const folder =
    options.folder ?? (options.store === undefined ? mkdtempSync(join(tmpdir(), 'writecheck-check-')) : '');
  const store = options.store ?? (await openSqliteStore(folder));
  const { workspace: made, keys } = newWorkspace();
  if (options.workspace === undefined) await store.createWorkspace(made, keys);
  const workspace = options.workspace ?? made.id;
  const seen = options.throughStore?.(store) ?? store;
  const book = new PolicyBook(seen, new PolicyJobs());
  const parts: CheckParts = {
    store: seen,
    policies: book,
    freezes: freezeBook(seen),
    clock: new SteadyClock(await store.newestAtMs(), null),
    commits: new GroupCommit(seen, options.limits ?? GROUP_COMMIT_LIMITS, null),
    runningKeys: new RunningKeys(),
    draws: new KnownDraws(seen),
    recentAllows: new RecentAllows(),
    turns: new Turns(options.admission),
    usedUp: new UsedUp(),
    metrics: null,
    trace: null,
  };
  const handle = checkWrite(parts, { family: 'check', read: readWrite });
  const callOf = (
    kit: CheckKit,
    body: unknown,
    kind: CheckingKeyKind,
    headers: { readonly [name: string]: string | undefined },
    scope: Partial<NewKey> = {},
  ): CheckCall => {
    const standing = { state: 'active', isSelfServe: false };
    const key = { ...newKey(kind), ...scope, workspace, lastUsedAtMs: null, revokedAtMs: null, standing };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return {
      actor: actorOfKey(key as unknown as FoundKey),
      body: body instanceof Uint8Array ? body : Buffer.from(text),
      context: { requestId: 'req_test', traceId: '0123456789abcdef0123456789abcdef', nowMs: kit.clockMs },
      request: { header: (name) => headers[name] },
    };
  };
  const read = ({ status, headers, body }: Answer): Asked => {
    const text = Buffer.from(body as string).toString();
    return { status, headers, text, json: JSON.parse(text) };
  };
  const kit: CheckKit = {
    store,
    folder,
    workspace,
    parts,
    clockMs: Date.UTC(2026, 10, 15, 12),
    async ask(body, { kind = 'live', key, redeem, scope } = {}) {
      return read(await answered(handle, callOf(kit, body, kind, { 'idempotency-key': key, redeem }, scope)));
    },
    async applyPolicy(documents) {
      const compiled = compile(documents);
      if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
      const applied = { digest: compiled.digest, documents: JSON.stringify(documents), by: COMMAND_LINE };
      await store.appendPolicy({ workspace, ...applied, createdAtMs: 1, rollbackOf: null });
      book.forget(workspace);
    },
    another: () => openKit({ ...options, folder, workspace }),
    async close() {
      if (options.store !== undefined) return;
      await store.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
  return kit;
};

/** Answers as the edge of the service does; only a bug still throws, so that a test fails. */
async function answered(handle: ReturnType<typeof checkWrite>, call: CheckCall): Promise<Answer> {
  try {
    return await handle(call);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return failedAnswer(error, call.context, NO_LOG, NO_LOG);
  }
}

/** Whether the log contains the decision that a response states. */
export const isRecorded = async (kit: CheckKit, decisionId: string): Promise<boolean> =>
  (await kit.store.findDecision(kit.workspace, decisionId)) !== null;
