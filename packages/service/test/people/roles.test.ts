/** Who may do what: every route of the OpenAPI description, for every kind of key and every role. */
import { ROLE_TABLE } from '@writecheck/api';
import { ROLES, SERVICE_ROLES } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { newMember } from '../member-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

/** Who may use each operation. A line that is wrong here or in the service's own table fails. */
const CHECKING = 'development live';
const OWNING = 'owner_key owner';
const READING = `${OWNING} auditor`;
const EVERY_ROLE = `${OWNING} author reviewer auditor`;
const MAY: { readonly [operationId: string]: string } = {
  checkWrite: CHECKING,
  checkWriteOnOlderPath: CHECKING,
  evaluate: CHECKING,
  evaluateMany: CHECKING,
  redeemDecision: CHECKING,
  readMe: `${EVERY_ROLE} none`,
  signOut: 'owner author reviewer auditor none',
  createPerson: OWNING,
  listPeople: READING,
  changePerson: OWNING,
  invitePerson: OWNING,
  disablePerson: OWNING,
  createKey: OWNING,
  listKeys: READING,
  revokeKey: OWNING,
  rotateKey: OWNING,
  readWorkspace: `${CHECKING} ${EVERY_ROLE}`,
  renameWorkspace: OWNING,
  applyPolicies: `${OWNING} author`,
  rollBackPolicies: `${OWNING} author`,
  readPolicies: EVERY_ROLE,
  readRevision: EVERY_ROLE,
  listRevisions: EVERY_ROLE,
  readRequirements: `${CHECKING} ${EVERY_ROLE}`,
  tryPolicies: `${OWNING} author`,
  listDecisions: `${CHECKING} ${EVERY_ROLE}`,
  readDecision: `${CHECKING} ${EVERY_ROLE}`,
  countDecisions: EVERY_ROLE,
  readReceipt: `${CHECKING} ${EVERY_ROLE}`,
  readUsage: `${CHECKING} ${READING}`,
  readDailyUsage: READING,
  exportLog: READING,
  listEntries: READING,
  revokeEvidence: OWNING,
  recordOutcome: `${CHECKING} ${OWNING}`,
  createWebhook: OWNING,
  listWebhooks: READING,
  readWebhook: READING,
  changeWebhook: OWNING,
  deleteWebhook: OWNING,
  rotateWebhookSecret: OWNING,
  listDeliveries: READING,
  testWebhook: OWNING,
  redeliver: OWNING,
  createFreeze: `${OWNING} author reviewer`,
  liftFreeze: OWNING,
  liftFreezes: OWNING,
  listFreezes: EVERY_ROLE,
  readFreeze: EVERY_ROLE,
  listLimits: `${READING} author`,
  readLimit: `${READING} author`,
  correctLimit: OWNING,
  openReview: `${CHECKING} ${OWNING}`,
  readReview: `${CHECKING} ${EVERY_ROLE}`,
  listReviews: `${CHECKING} ${EVERY_ROLE}`,
  decideReview: `${OWNING} reviewer`,
  withdrawVerdict: `${OWNING} reviewer`,
  cancelReview: `${CHECKING} ${OWNING} author reviewer`,
  commentOnReview: `${CHECKING} ${OWNING} author reviewer`,
};

/**
 * What a person of the role may do and a service key with it may not: it has no session, and neither reviews
 * nor freezes.
 */
const NOT_FOR_SERVICE = ['signOut', 'cancelReview', 'commentOnReview', 'createFreeze'];
const SERVICE = SERVICE_ROLES.map((role) => `service ${role}`);

function may(who: string, operationId: string): boolean {
  const role = who.startsWith('service ') ? who.slice('service '.length) : null;
  if (role !== null && NOT_FOR_SERVICE.includes(operationId)) return false;
  return MAY[operationId]!.split(' ').includes(role ?? who);
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
}

let service: TestService;
let operations: readonly Operation[];
let credentials: { readonly [who: string]: string };

beforeAll(async () => {
  service = await startTestService();
  const { paths } = (await ask(`${service.url}/openapi.json`)).body;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(
      methods as { [method: string]: { operationId: string; security: readonly unknown[] } },
    ).map(([method, { operationId, security }]) => ({
      ...{ operationId, method: method.toUpperCase(), path, isOpen: security.length === 0 },
    })),
  );
  const people: Record<string, string> = {};
  for (const role of ROLES) people[role] = (await newMember(service, [role], Date.now())).token;
  credentials = {
    ...{ development: service.developmentKey, live: service.liveKey, owner_key: service.ownerKey },
    ...people,
    ...Object.fromEntries(await Promise.all(SERVICE_ROLES.map(serviceKey))),
    none: await withoutRoles(),
  };
});
afterAll(() => service.stop());

async function serviceKey(role: string): Promise<readonly [string, string]> {
  const json = { kind: 'service', name: role, roles: [role] };
  const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey, json });
  return [`service ${role}`, body.secret];
}

/** Nobody is invited without a role, but a role may be retired. */
async function withoutRoles(): Promise<string> {
  const { id, token } = await newMember(service, ['auditor'], Date.now());
  const [{ lastSeenAtMs: _, hasPasskey: __, ...found }] = (await service.store.findPeople(service.workspace, [
    id,
  ])) as [Awaited<ReturnType<TestService['store']['findPeople']>>[number]];
  const person = { ...found, roles: [], version: found.version + 1 };
  const by = { kind: 'owner_key', id: 'key_1' } as const;
  const timestamp = new Date().toISOString();
  const entry = { kind: 'person', event: 'changed', person: id, workspace: person.workspace } as const;
  await service.store.changePerson({ person, entries: [{ ...entry, timestamp, by, details: {} }] });
  return token;
}

const NOBODYS = `x_${'0'.repeat(32)}`;

/** Sends no body and names nothing that exists: past the gate, every route refuses or reads. */
async function knock({ method, path }: Operation, key?: string) {
  const url = service.url + path.replaceAll(/\{\w+\}/g, NOBODYS);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(url, { method, headers });
  const text = await response.text();
  const { status } = response;
  // An AuthZEN error is text; its challenge says what is missing.
  if (path.startsWith('/access/')) {
    const challenge = response.headers.get('www-authenticate') ?? '';
    return { status, code: /error="(\w+)"/.exec(challenge)?.[1] ?? 'missing_key' };
  }
  return { status, code: response.ok ? null : JSON.parse(text).error.code };
}

/** Signing out would end the session for later tests. */
async function keyFor({ operationId }: Operation, who: string): Promise<string> {
  const isOnce = operationId === 'signOut' && ROLES.some((role) => role === who);
  return isOnce ? (await newMember(service, [who], Date.now())).token : credentials[who]!;
}

describe('every route', () => {
  test('that needs a key is in both tables, and no other is', () => {
    const keyed = [
      ...new Set(operations.filter(({ isOpen }) => !isOpen).map(({ operationId }) => operationId)),
    ];
    expect(Object.keys(MAY).sort()).toEqual(keyed.sort());
    const forPeople = keyed.filter((operationId) => MAY[operationId] !== CHECKING);
    expect(Object.keys(ROLE_TABLE).sort()).toEqual(forPeople.sort());
  });

  test('without a key is refused with 401, unless it is open', async () => {
    for (const operation of operations.filter(({ isOpen }) => !isOpen)) {
      const { status, code } = await knock(operation);
      expect([operation.operationId, status, code]).toEqual([...[operation.operationId, 401, 'missing_key']]);
    }
  });

  test.each(['development', 'live', 'owner_key', ...ROLES, ...SERVICE, 'none'])('as %s', async (who) => {
    const last = operations.filter(({ isOpen }) => !isOpen);
    // People without a role sign out last.
    for (const operation of last.toSorted(
      (a, b) => Number(a.operationId === 'signOut') - Number(b.operationId === 'signOut'),
    )) {
      const { status, code } = await knock(operation, await keyFor(operation, who));
      const isRefused = status === 403 && code === 'insufficient_scope';
      expect(status, operation.operationId).not.toBe(401);
      expect([operation.operationId, !isRefused]).toEqual([
        operation.operationId,
        may(who, operation.operationId),
      ]);
    }
  });
});

test('an auditor changes nothing: it may only read, sign out and request requirements', () => {
  const writing = operations.filter(({ isOpen, method }) => !isOpen && method !== 'GET');
  const open = writing.filter(({ operationId }) => MAY[operationId]!.split(' ').includes('auditor'));
  expect(open.map(({ operationId }) => operationId).sort()).toEqual(['readRequirements', 'signOut']);
});

test('somebody with several roles may do what any of them may', async () => {
  const { token } = await newMember(service, ['author', 'auditor'], Date.now());
  const statusOf = async (method: string, path: string) =>
    (await ask(service.url + path, { method, key: token })).status;
  expect(await statusOf('GET', '/v1/keys')).toBe(200);
  expect(await statusOf('PUT', '/v1/policies')).toBe(415);
  expect(await statusOf('POST', '/v1/keys')).toBe(403);
});
