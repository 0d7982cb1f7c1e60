/** Runs the same generated operations on two stores, one after another, and compares their results. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { planInclusion } from '@writecheck/ledger';
import type { CommitRequest, DecisionQuery, KeyKind, NewKey, Store, StoredKey } from '@writecheck/store/port';
import { StoreUnavailable } from '@writecheck/store/port';
import { seededRandom } from '../../../../scripts/seeded-random.ts';
import { erase } from '../../../store/test/erase.ts';
import {
  COMMAND_LINE,
  newRequest,
  recordOf,
} from '../../../store/test/store-contract/store-contract-values.ts';

type Random = () => number;

interface Operation {
  readonly name: string;
  readonly run: (store: Store) => Promise<unknown>;
  /** Gets the first store's result, so that later operations can build on it. */
  readonly learn?: (answer: unknown) => void;
}

const TEXTS = ['a', 'b', 'c ü 🦄', 'd\\0', 'e\0f', "';--", 'x'.repeat(3_000), '\\', ' '];
const START_MS = Date.UTC(2026, 10, 30, 23, 30);

/** Makes operations on a small world, so that they interact: few workspaces, names and keys, used over and over. */
export class OperationMaker {
  readonly #random: Random;
  readonly #workspaces: string[] = [];
  readonly #keys = new Map<string, string[]>();
  readonly #decisions: { workspace: string; id: string; atMs: number; digest: string }[] = [];
  readonly #revoked: { source: string; jti: string }[] = [];
  readonly #cursors: string[] = [];
  #clockMs = START_MS;
  #newestMs = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#upTo(values.length)]!;
  }

  #maybe<T>(chance: number, value: () => T): T | undefined {
    return this.#random() < chance ? value() : undefined;
  }

  #hex(digits: number): string {
    let text = '';
    while (text.length < digits)
      text += Math.floor(this.#random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return text.slice(0, digits);
  }

  #id(prefix: string, atMs = this.#clockMs): string {
    return `${prefix}${atMs.toString(16).padStart(12, '0')}7${this.#hex(19)}`;
  }

  #workspace(): string {
    return this.#random() < 0.02 ? this.#id('ws_') : this.#oneOf(this.#workspaces);
  }

  #attestation() {
    return { source: this.#oneOf(['okta', 'desk ü']), jti: `${this.#oneOf(TEXTS)}${this.#upTo(40)}` };
  }

  #newKey(kind: KeyKind = this.#oneOf(['development', 'live', 'owner'])): NewKey {
    const id = this.#id('key_');
    return {
      ...{ id, kind, name: `key ${this.#upTo(9)} ü`, hash: this.#hex(64), hint: `wck_…${this.#hex(4)}` },
      ...{ createdAtMs: this.#clockMs, expiresAtMs: this.#maybe(0.2, () => this.#clockMs + 5_000) ?? null },
      allowedSystems: this.#maybe(0.3, () => ['crm', 'érp']) ?? null,
      allowedWorkflows: this.#maybe(0.2, () => ['w']) ?? null,
    };
  }

  #request(): CommitRequest {
    const workspace = this.#workspace();
    const key = this.#maybe(0.3, () => `k${this.#upTo(30)}`);
    // A request that waited too long is refused.
    const atMs = this.#clockMs - (this.#random() < 0.02 ? this.#upTo(40_000) : 0);
    const keyKind = this.#oneOf(['development', 'live'] as const);
    const claim = this.#maybe(0.5, () => `c${this.#upTo(3)}`) ?? null;
    const decision = this.#oneOf(['allow', 'allow', 'pause', 'block'] as const);
    const timestamp = new Date(atMs).toISOString();
    const intentDigest = `sha256:${this.#hex(64)}`;
    const intent = {
      ...{ system: this.#oneOf(['crm', 'érp']), objectType: this.#maybe(0.5, () => 'kontakt ü') ?? null },
      ...{ objectRef: this.#maybe(0.8, () => this.#oneOf(TEXTS)), field: this.#maybe(0.5, () => 'f') },
      ...{ workflowId: this.#maybe(0.4, () => 'w'), runId: this.#maybe(0.4, () => `r${this.#upTo(5)}`) },
    };
    const isAllow = decision === 'allow';
    const decisionId = this.#id('dec_', atMs);
    const keyId = `key_${this.#upTo(3)}`;
    return {
      ...{ workspace, keyId, keyKind, quota: keyKind === 'development' ? 60 : null, freezeNumber: 0 },
      ...{ bundle: newRequest(workspace).bundle, atMs },
      record: recordOf(JSON.stringify({ timestamp, filler: 'ü'.repeat(this.#upTo(300)), intent })),
      leaf: {
        ...{ decision_id: decisionId, audit_id: this.#id('aud_', atMs), keyId, timestamp },
        ...{ decision, evaluatedDecision: this.#random() < 0.9 ? decision : ('block' as const) },
        ...{ reason_code: this.#oneOf(['requirements_met', 'authority_mismatch']), intentDigest },
        ...{ policyRef: this.#maybe(0.3, () => 'd1') ?? null, validUntil: null },
      },
      consumes: isAllow ? (this.#maybe(0.1, () => [this.#attestation()]) ?? []) : [],
      restsOn: isAllow ? (this.#maybe(0.1, () => [this.#attestation()]) ?? []) : [],
      ...(claim !== null && this.#random() < 0.3 && { redeems: { decisionId, intentDigest } }),
      idempotency:
        key === undefined
          ? null
          : {
              ...{ key, requestDigest: this.#oneOf(['d1', 'd2']), claim },
              expiresAtMs: this.#clockMs + this.#upTo(60_000),
              replayableWhile: JSON.stringify(
                this.#maybe(0.5, () => ({
                  ...{ validUntilMs: this.#clockMs + 9, policyRef: null, restsOn: [this.#attestation()] },
                })) ?? null,
              ),
              response: JSON.stringify({ decision, decision_id: decisionId }),
            },
    };
  }

  #commit(): Operation {
    const requests = Array.from({ length: 1 + (this.#random() < 0.5 ? 0 : this.#upTo(8)) }, () =>
      this.#request(),
    );
    return {
      name: 'commit',
      run: async (store) => (await store.commit(requests, [])).decided,
      learn: (answer) => {
        for (const [i, { kind }] of (answer as { kind: string }[]).entries()) {
          if (kind !== 'committed') continue;
          const { workspace, atMs, leaf } = requests[i]!;
          this.#newestMs = Math.max(this.#newestMs, atMs);
          this.#decisions.push({ workspace, id: leaf.decision_id, atMs, digest: leaf.intentDigest });
          if (this.#decisions.length > 500) this.#decisions.splice(0, 100);
        }
      },
    };
  }

  #query(): DecisionQuery {
    const cursor =
      this.#cursors.length === 0 ? undefined : this.#maybe(0.3, () => this.#oneOf(this.#cursors));
    return {
      ...{ workspace: this.#workspace(), limit: 1 + this.#upTo(30) },
      ...(this.#random() < 0.2 ? { keyId: `key_${this.#upTo(3)}` } : {}),
      ...(this.#random() < 0.3 ? { decision: this.#oneOf(['allow', 'pause', 'block'] as const) } : {}),
      ...(this.#random() < 0.2 ? { reasonCode: 'authority_mismatch' } : {}),
      ...(this.#random() < 0.2 ? { system: this.#oneOf(['crm', 'érp', 'no\0']) } : {}),
      ...(this.#random() < 0.3 ? { objectRef: this.#oneOf(TEXTS) } : {}),
      ...(this.#random() < 0.1 ? { workflowId: 'w' } : {}),
      ...(this.#random() < 0.1 ? { runId: `r${this.#upTo(5)}` } : {}),
      ...(this.#random() < 0.1 ? { isWarned: true as const } : {}),
      ...(this.#random() < 0.2 ? { order: this.#oneOf(['oldest', 'newest'] as const) } : {}),
      ...(this.#random() < 0.2 ? { fromMs: this.#clockMs - this.#upTo(900_000) } : {}),
      ...(this.#random() < 0.2 ? { toMs: this.#clockMs - this.#upTo(900_000) } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  #list(): Operation {
    const query = this.#query();
    return {
      name: 'listDecisions',
      run: (store) => store.listDecisions(query),
      learn: (answer) => {
        const { nextCursor } = answer as { nextCursor?: string | null };
        if (nextCursor) this.#cursors.push(nextCursor);
        if (this.#cursors.length > 20) this.#cursors.shift();
      },
    };
  }

  #createWorkspace(): Operation {
    const workspace = { id: this.#id('ws_'), name: 'ü', createdAtMs: this.#clockMs, liveGranted: false };
    const keys = [this.#newKey('owner'), this.#newKey('development')];
    const onlyIfNone = this.#workspaces.length > 0 && this.#random() < 0.3;
    return {
      name: 'createWorkspace',
      run: (store) => store.createWorkspace(workspace, keys, { onlyIfNone }),
      learn: (answer) => {
        if ((answer as { kind: string }).kind !== 'created') return;
        this.#workspaces.push(workspace.id);
        this.#keys.set(
          workspace.id,
          keys.map(({ id }) => id),
        );
        if (this.#workspaces.length > 6) this.#workspaces.shift();
      },
    };
  }

  #createKey(): Operation {
    const workspace = this.#workspace();
    const key = this.#newKey();
    return {
      name: 'createKey',
      run: (store) => store.createKey(workspace, key, COMMAND_LINE),
      learn: () => this.#keys.get(workspace)?.push(key.id),
    };
  }

  #keyOf(workspace: string): string {
    const keys = this.#keys.get(workspace) ?? [];
    return keys.length === 0 || this.#random() < 0.05 ? this.#id('key_') : this.#oneOf(keys);
  }

  #redeem(): Operation {
    const decision = this.#decisions.length === 0 ? undefined : this.#oneOf(this.#decisions.slice(-3));
    const { workspace, id, digest } = decision ?? {
      workspace: this.#workspace(),
      id: this.#id('dec_'),
      digest: '',
    };
    const redemption = {
      ...{ workspace, decisionId: id, keyId: 'key_1', keyKind: 'live' as const, atMs: this.#clockMs },
      idempotency:
        this.#maybe(0.7, () => ({
          ...{
            // Mostly its own key; one that many decisions want is refused to all but one.
            key: id.endsWith('0') ? 'r' : id,
            requestDigest: this.#oneOf(['a', 'b']),
            expiresAtMs: this.#clockMs + 30_000,
          },
        })) ?? null,
      ...{ intentDigest: digest, decidedAtMs: this.#random() < 0.2 ? (decision?.atMs ?? 0) : this.#clockMs },
      ...{ policyRef: this.#oneOf([null, null, 'd0', 'd1', 'd2', 'd3']) },
      restsOn:
        this.#maybe(0.6, () => [this.#maybe(0.5, () => this.#revoked.at(-1)) ?? this.#attestation()]) ?? [],
      answer: { expiresAtMs: this.#clockMs, keptUntilMs: this.#clockMs + 60_000 },
      freezeNumber: 0,
      isFrozen: false,
      validUntilMs: this.#random() < 0.1 ? this.#clockMs : this.#clockMs + 1,
    };
    return { name: 'redeem', run: (store) => store.redeem(redemption) };
  }

  #subtrees(): Operation {
    return {
      name: 'subtreeHashes',
      run: async (store) => {
        const { log, size } = (await store.logs())[0]!;
        if (size < 2) return [];
        return store.subtreeHashes(log, planInclusion(Math.floor(size / 3), size).flat());
      },
    };
  }

  /** The next operation, chosen at random; the first one creates a workspace. */
  next(): Operation {
    this.#clockMs += this.#upTo(600);
    if (this.#random() < 0.001) this.#clockMs += 6 * 24 * 3_600_000;
    if (this.#workspaces.length === 0) return this.#createWorkspace();
    const workspace = this.#workspace();
    const nowMs = this.#clockMs;
    const period = new Date(nowMs).toISOString().slice(0, 7);
    const known = this.#decisions.length === 0 ? undefined : this.#oneOf(this.#decisions);
    const keyId = this.#keyOf(workspace);
    const text = this.#hex(64);
    const item = this.#attestation();
    const items = Array.from({ length: this.#upTo(4) }, () => this.#attestation());
    const digest = `sha256:${String(this.#upTo(4)).repeat(64)}`;
    const answerKey = `k${this.#upTo(30)}`;
    const number = this.#upTo(20);
    const simple = (name: string, run: Operation['run']): Operation => ({ name, run });
    const choices: readonly (readonly [weight: number, make: () => Operation])[] = [
      [300, () => this.#commit()],
      [40, () => this.#list()],
      [100, () => this.#redeem()],
      [60, () => simple('findDecision', (store) => store.findDecision(workspace, known?.id ?? 'dec_x'))],
      [60, () => simple('findOwn', (store) => store.findDecision(known?.workspace ?? '', known?.id ?? ''))],
      [40, () => simple('findAnswer', (store) => store.findAnswer(workspace, answerKey, nowMs))],
      [30, () => simple('attestationStates', (store) => store.attestationStates(workspace, items))],
      [
        20,
        () => {
          this.#revoked.push(item);
          return simple('revokeAttestation', (store) =>
            store.revokeAttestation(workspace, item, nowMs, COMMAND_LINE),
          );
        },
      ],
      [30, () => simple('usage', (store) => store.usage(workspace, period))],
      [10, () => simple('usageByDay', (store) => store.usageByDay(workspace, period))],
      [
        10,
        () =>
          simple('countDecisions', (store) =>
            store.countDecisions(workspace, nowMs - 9e7, nowMs, digest.endsWith('1') ? 'day' : 'hour'),
          ),
      ],
      [8, () => this.#createWorkspace()],
      [30, () => this.#createKey()],
      [15, () => simple('findWorkspace', (store) => store.findWorkspace(workspace))],
      [5, () => simple('listWorkspaces', (store) => store.listWorkspaces(1 + number))],
      [
        5,
        () =>
          simple('grantLive', (store) =>
            store.grantLive({ workspace, by: { kind: 'operator', id: 'o' }, atMs: this.#clockMs }),
          ),
      ],
      [15, () => simple('listKeys', (store) => store.listKeys(workspace))],
      [
        15,
        () =>
          simple('findKey', async (store) =>
            store.findKey(hashOf(await store.listKeys(workspace), number) ?? text),
          ),
      ],
      [15, () => simple('revokeKey', (store) => store.revokeKey(workspace, keyId, nowMs, COMMAND_LINE))],
      [
        15,
        () =>
          simple('rotateKey', (store) =>
            store.rotateKey({
              ...{ workspace, keyId, nowMs, oldExpiresAtMs: nowMs + 3_000 },
              replacement: { id: `key_${text.slice(0, 32)}`, hash: text, hint: 'wck_…' },
              by: COMMAND_LINE,
            }),
          ),
      ],
      [15, () => simple('touchKeys', (store) => store.touchKeys([{ keyId, atMs: nowMs - number }]))],
      [
        20,
        () =>
          simple('appendPolicy', (store) =>
            store.appendPolicy({
              ...{
                workspace: this.#workspaces.at(-1)!,
                digest,
                documents: `["${digest} ü"]`,
                by: COMMAND_LINE,
              },
              ...{ createdAtMs: nowMs, rollbackOf: number === 1 ? 1 : null },
              ...(number < 10 ? { expectedDigest: number < 3 ? null : 'd1' } : {}),
            }),
          ),
      ],
      [15, () => simple('currentPolicy', (store) => store.currentPolicy(workspace))],
      [8, () => simple('findPolicy', (store) => store.findPolicy(workspace, number))],
      [8, () => simple('listPolicies', (store) => store.listPolicies(workspace))],
      [10, () => simple('newestAtMs', (store) => store.newestAtMs())],
      [10, () => simple('logs', (store) => store.logs())],
      [10, () => simple('segments', async (store) => store.segments(store.log, number * 7, 2))],
      [10, () => this.#subtrees()],
      [3, () => simple('sweep', (store) => store.sweep(nowMs))],
      [
        3,
        () =>
          simple('keepCheckpoint', (store) =>
            store.keepCheckpoint({
              log: `log-${digest}`,
              size: number,
              note: text,
              frontier: Buffer.from(text),
            }),
          ),
      ],
      [3, () => simple('newestCheckpoint', (store) => store.newestCheckpoint(`log-${digest}`))],
      [3, () => simple('publishVerifierKey', (store) => store.publishVerifierKey(`line ${number}`, nowMs))],
      [3, () => simple('verifierKeys', (store) => store.verifierKeys())],
      [
        3,
        () =>
          simple('prune', (store) =>
            erase(store, {
              workspace,
              ...(number < 10 ? { objectRef: this.#texts(number) } : { beforeMs: nowMs - 600_000 }),
            }),
          ),
      ],
      [3, () => simple('rebuildIndex', (store) => store.rebuildIndex())],
    ];
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#upTo(total);
    return choices.find(([weight]) => {
      left -= weight;
      return left < 0;
    })![1]();
  }

  #texts(number: number): string {
    return TEXTS[number % TEXTS.length]!;
  }
}

const hashOf = (keys: readonly StoredKey[], number: number): string | undefined => keys[number]?.hash;

/** Bytes as hex, members by name, a refusal by its reason: results are equal if these are. */
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => name !== 'isOpen' && member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => [name, plain(of)]),
  );
};

const answerOf = async (store: Store, { run }: Operation): Promise<{ value: unknown; shown: unknown }> => {
  try {
    const value = await run(store);
    return { value, shown: plain(value) };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { value: null, shown: { refused: error.why } };
  }
};

export interface SameAnswers {
  readonly faults: readonly string[];
  /** Over all results, so that two runs can be compared. */
  readonly digest: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly refused: number;
  /** Every `kind` that occurred in a result. */
  readonly kinds: ReadonlySet<string>;
}

export const compareStores = async (
  [first, second]: readonly [Store, Store],
  operations: number,
  seed: number,
): Promise<SameAnswers> => {
  const maker = new OperationMaker(seed);
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const hash = createHash('sha256');
  const kinds = new Set<string>();
  let refused = 0;
  for (let i = 0; i < operations && faults.length < 5; i += 1) {
    const operation = maker.next();
    const [one, two] = await Promise.all([answerOf(first, operation), answerOf(second, operation)]);
    counts.set(operation.name, (counts.get(operation.name) ?? 0) + 1);
    if (one.value === null && typeof one.shown === 'object' && one.shown !== null) refused += 1;
    const text = JSON.stringify(one.shown) ?? 'nothing';
    for (const [, kind] of text.matchAll(/"kind":"(\w+)"/g)) kinds.add(kind!);
    hash.update(text);
    if (!isDeepStrictEqual(one.shown, two.shown)) {
      const other = JSON.stringify(two.shown) ?? 'nothing';
      const at = [...text].findIndex((character, place) => character !== other[place]);
      const excerpt = (of: string): string => of.slice(Math.max(0, at - 60), at + 200);
      faults.push(`operation ${i}, ${operation.name}: ${excerpt(text)} is not ${excerpt(other)}`);
    }
    if (one.value !== null) operation.learn?.(one.value);
  }
  return { faults, digest: hash.digest('hex'), counts, refused, kinds };
};
