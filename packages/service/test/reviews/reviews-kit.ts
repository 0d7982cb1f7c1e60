/** Reviews over the wire: a service on each store, and short ways to pause, open, decide and ask again. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import type { Flags } from '../../src/support/config/load-config.ts';
import { ask, check, type Reply } from '../ask.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../start-service.ts';

export interface ReviewKit {
  readonly service: TestService;
  /** Null on SQLite. */
  readonly databaseUrl: string | null;
  /** The service's clock, in milliseconds; moved by the test. */
  nowMs: number;
  call(method: string, path: string, key: string, json?: unknown): Promise<Reply>;
  /** A write that no check has named before, paused for lack of an approval. */
  pause(members?: object, key?: string): Promise<Paused>;
  open(decisionId: string, key?: string, members?: object): Promise<Reply>;
  /** Paused and opened. */
  opened(members?: object, key?: string): Promise<Opened>;
  approve(review: Shown, key?: string): Promise<Reply>;
  reject(review: Shown, key?: string): Promise<Reply>;
  /** Reads the review as the key that opened it sees it. */
  read(id: string, key?: string): Promise<Shown>;
  /** Opened and approved, with the evidence that the key then gets. */
  approved(members?: object, key?: string): Promise<Opened & { readonly evidence: readonly object[] }>;
  /** The same write with the review's evidence. */
  again(intent: object, evidence: readonly object[], init?: RequestInit & { key?: string }): Promise<Reply>;
  applyPolicy(documents: readonly object[]): Promise<void>;
  newKey(kind: string, members?: object): Promise<{ readonly id: string; readonly secret: string }>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
type Shown = any;

interface Paused {
  readonly intent: object;
  readonly decisionId: string;
  readonly digest: string;
}

export interface Opened extends Paused {
  readonly review: Shown;
}

let written = 0;

type ThroughStore = NonNullable<TestServiceOptions['throughStore']>;

export async function openReviewKit(
  settings: Flags = {},
  throughStore: ThroughStore = (store) => store,
): Promise<ReviewKit> {
  const kit = { nowMs: Date.now() } as { -readonly [name in keyof ReviewKit]: ReviewKit[name] };
  const service = await startTestService({ clock: () => kit.nowMs, settings, throughStore });
  kit.service = service;
  kit.databaseUrl = settings.databaseUrl ?? null;
  kit.call = (method, path, key, json) =>
    ask(service.url + path, { method, key, ...(json === undefined ? {} : { json }) });
  kit.pause = async (members = {}, key = service.developmentKey) => {
    written += 1;
    const intent = {
      system: 'crm',
      objectType: 'customer',
      objectRef: `C-${written}`,
      field: 'email',
      agentValue: 'ada@example.com',
      requiredControls: ['approval'],
      ...members,
    };
    const { body } = await check(service, intent, { key });
    return { intent, decisionId: body.decision_id, digest: body.intentDigest };
  };
  kit.open = (decisionId, key = service.developmentKey, members = {}) =>
    kit.call('POST', '/v1/reviews', key, { decision_id: decisionId, ...members });
  kit.opened = async (members, key) => {
    const paused = await kit.pause(members, key);
    const { status, body } = await kit.open(paused.decisionId, key);
    expect([status, body.error]).toEqual([201, undefined]);
    return { ...paused, review: body.review };
  };
  const decide = (review: Shown, verdict: string, key: string) => {
    const { id, intentDigest } = review;
    const json = { verdict, intentDigest, ...(verdict === 'reject' ? { comment: 'no' } : {}) };
    return kit.call('POST', `/v1/reviews/${id}/verdicts`, key, json);
  };
  kit.approve = (review, key = service.ownerKey) => decide(review, 'approve', key);
  kit.reject = (review, key = service.ownerKey) => decide(review, 'reject', key);
  kit.read = async (id, key = service.developmentKey) =>
    (await kit.call('GET', `/v1/reviews/${id}`, key)).body.review;
  kit.approved = async (members, key) => {
    const opened = await kit.opened(members, key);
    expect((await kit.approve(opened.review)).status).toBe(200);
    const review = await kit.read(opened.review.id, key);
    return { ...opened, review, evidence: review.evidence };
  };
  kit.again = (intent, evidence, init = {}) => check(service, { ...intent, controlEvidence: evidence }, init);
  kit.applyPolicy = async (documents) => {
    const path = '/v1/policies?confirmLoosening=true';
    const { status, text } = await kit.call('PUT', path, service.ownerKey, { documents });
    expect(status, text).toBe(200);
  };
  kit.newKey = async (kind, members = {}) => {
    const { body } = await kit.call('POST', '/v1/keys', service.ownerKey, { kind, name: kind, ...members });
    return { id: body.key.id, secret: body.secret };
  };
  return kit;
}

/**
 * The same tests on SQLite and on PostgreSQL. Management code is shared and covered by the suite of the stores,
 * so over HTTP PostgreSQL runs only at night.
 */
export const onBothStores = (tests: (kit: () => ReviewKit) => void): void => onEachStore(tests, 'nightly');

/** Runs tests of what a commit decides on both stores every time. */
export const decidingOnBothStores = (
  tests: (kit: () => ReviewKit) => void,
  throughStore?: ThroughStore,
): void => onEachStore(tests, 'always', throughStore);

function onEachStore(
  tests: (kit: () => ReviewKit) => void,
  postgres: 'always' | 'nightly',
  throughStore?: ThroughStore,
): void {
  for (const store of ['SQLite', 'PostgreSQL']) {
    const tags = store === 'PostgreSQL' && postgres === 'nightly' ? ['nightly'] : [];
    describe(`on ${store}`, { tags }, () => {
      let kit: ReviewKit;
      let server: TestServer | null = null;
      beforeAll(async () => {
        server = store === 'SQLite' ? null : await startTestServer();
        kit = await openReviewKit(
          server === null ? {} : { databaseUrl: await server.newDatabase() },
          throughStore,
        );
      }, 60_000);
      afterAll(async () => {
        await kit.service.stop();
        await server?.remove();
      });
      tests(() => kit);
    });
  }
}

export const pack = (controls: object) => ({ kind: 'ControlPack', id: 'pack', controls });
export const REVIEWED = { assurance: 'attested', review: { identity: 'any' } };
