import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const STRICT = [
  { kind: 'ControlPack', id: 'core', controls: { dual: { maxAge: '1h' } } },
  { kind: 'Profile', id: 'emails', match: { system: 'crm', field: 'email' }, require: ['dual'] },
];
const put = (
  documents: unknown,
  init: { readonly query?: string; readonly headers?: Record<string, string> } = {},
) =>
  ask(`${service.url}/v1/policies${init.query ?? ''}`, {
    method: 'PUT',
    key: service.ownerKey,
    json: { documents },
    headers: init.headers ?? {},
  });
const putYaml = (body: string) =>
  ask(`${service.url}/v1/policies`, {
    method: 'PUT',
    key: service.ownerKey,
    headers: { 'content-type': 'application/yaml' },
    body,
  });
const running = async () => (await ask(`${service.url}/v1/policies`, { key: service.ownerKey })).body;

describe('policies over the API', () => {
  test('the first bundle needs no confirmation and decides from the next check on', async () => {
    expect(await running()).toEqual({ revision: 0, digest: null, documents: [] });
    expect((await check(service, ALLOWED)).body.decision).toBe('allow');
    const { status, body } = await put(STRICT);
    expect([status, body.revision]).toEqual([200, 1]);
    expect(body.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const decided = (await check(service, ALLOWED)).body;
    expect(decided.required_controls).toContain('dual');
    expect(decided.decision).not.toBe('allow');
    expect(decided.profileProvenance.policyRef).toBe(body.digest);
    expect((await running()).documents).toHaveLength(2);
  });

  test('a bundle with more rules for one write than may apply is applied with a warning, and pauses that write', async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({
      kind: 'Profile',
      id: `p${at}`,
      match: { system: 'crm', objectType: `t${at}` },
      permit: true,
    }));
    expect((await put(many.slice(1))).body.warnings).toBeUndefined();
    const { status, body } = await put(
      many.map(({ permit, ...rest }) => ({ ...rest, require: ['dual'] })),
      { query: '?confirmLoosening=true' },
    );
    expect([status, body.warnings]).toEqual([200, [expect.stringMatching(/^101 profiles .* in `crm`/)]]);
    const decided = (await check(service, { system: 'crm', operation: 'x' })).body;
    expect([decided.decision, decided.reason_code]).toEqual(['pause', 'policy_error']);
    const one = (await check(service, { system: 'crm', operation: 'x', objectType: 't7' })).body;
    expect(one.reason_code).not.toBe('policy_error');
  });

  test('an earlier revision can be read again', async () => {
    const first = await put(STRICT);
    const documents = (await running()).documents;
    await put([], { query: '?confirmLoosening=true' });
    const read = (revision: string) =>
      ask(`${service.url}/v1/policies/revisions/${revision}`, { key: service.ownerKey });
    expect((await read('1')).body).toEqual({ ...first.body, documents });
    for (const none of ['0', '3', 'x', '01', '9'.repeat(20)]) expect((await read(none)).status).toBe(404);
  });

  test('applying the running bundle again changes nothing', async () => {
    const first = await put(STRICT);
    const again = await put([...STRICT].reverse());
    expect(again.body).toEqual(first.body);
  });

  test('a change that may loosen must be confirmed, in the query or in the body', async () => {
    await put(STRICT);
    const refused = await put([]);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'loosening_unconfirmed']);
    const told = refused.body.error.details.map(({ message }: { message: string }) => message);
    expect(told[0]).toBe('Profile `emails`: the profile `emails` was removed');
    expect(told.at(-1)).toMatch(
      /^example: a write to `crm .* \(.*\) is (pause|block) .* and becomes (allow|pause \(`\w+`\))$/,
    );
    expect(refused.body.error.details.at(-1).example).toMatchObject({
      intent: { system: 'crm' },
      before: { decision: expect.any(String) },
    });
    expect((await running()).revision).toBe(1);
    expect((await put([], { query: '?confirmLoosening=false' })).status).toBe(409);
    expect((await put([], { query: '?confirmLoosening=true' })).body.revision).toBe(2);
    const inBody = await ask(`${service.url}/v1/policies`, {
      method: 'PUT',
      key: service.ownerKey,
      json: { documents: STRICT, confirmLoosening: true },
    });
    expect(inBody.body.revision).toBe(3);
    expect((await put([], { query: '?confirmLosening=true' })).body.error.code).toBe('invalid_request');
    for (const [query, confirmLoosening] of [
      ['true', false],
      ['false', true],
    ]) {
      const torn = await ask(`${service.url}/v1/policies?confirmLoosening=${query}`, {
        method: 'PUT',
        key: service.ownerKey,
        json: { documents: [], confirmLoosening },
      });
      expect([torn.status, torn.body.error.code]).toEqual([422, 'invalid_request']);
      expect(torn.body.error.message).toContain(
        `\`${query}\` in the query and \`${confirmLoosening}\` in the body`,
      );
    }
    expect((await running()).revision).toBe(3);
  });

  test('a real earlier request is the first example of what loosens', async () => {
    await put(STRICT);
    expect((await check(service, { ...ALLOWED, objectRef: 'C-recorded' })).body.decision).toBe('pause');
    const { body } = await put([]);
    const examples = body.error.details.filter(
      (detail: { example?: unknown }) => detail.example !== undefined,
    );
    expect(examples[0].example).toMatchObject({
      intent: { objectRef: 'C-recorded' },
      before: { decision: 'pause' },
      after: { decision: 'allow' },
    });
  });

  test('a body of the wrong form is reported as such, however large', async () => {
    const send = (body: string) =>
      ask(`${service.url}/v1/policies`, {
        method: 'PUT',
        key: service.ownerKey,
        headers: { 'content-type': 'application/json' },
        body,
      });
    const large = `"${'x'.repeat(900_000)}"`;
    for (const [body, status, code, pointer] of [
      [`{"documents":[${large}],"documents":[]}`, 400, 'malformed_json', ''],
      [`[${large}]`, 422, 'invalid_request', ''],
      [`{"documents":${large}}`, 422, 'invalid_request', '/documents'],
      [`{"documents":[],"confirmLoosening":${large}}`, 422, 'invalid_request', '/confirmLoosening'],
      [`{"documents":[],"other":${large}}`, 422, 'invalid_request', '/other'],
      [`{"documents":[${large}]}`, 422, 'invalid_policy', '/documents/0'],
    ] as const) {
      const { body: told, ...reply } = await send(body);
      expect([reply.status, told.error.code, told.error.details[0].pointer]).toEqual([status, code, pointer]);
    }
    expect((await running()).revision).toBe(0);
  });

  test('a stored bundle that somebody changed decides nothing and is not shown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-test-'));
    const before = await startTestService({ folder });
    const policies = { method: 'PUT', key: before.ownerKey };
    await ask(`${before.url}/v1/policies`, { ...policies, json: { documents: STRICT } });
    await before.stop();
    for (const edit of ["replace(documents, 'dual', 'duel')", "'[nonsense'"]) {
      const database = new Database(join(folder, 'writecheck.db'));
      database.exec(`UPDATE policy SET documents = ${edit}`);
      database.close();
      const after = await startTestService({ folder });
      const decided = await check(after, ALLOWED, { key: before.developmentKey });
      expect([decided.status, decided.body.error.code]).toEqual([503, 'store_unavailable']);
      const shown = await ask(`${after.url}/v1/policies`, { key: before.ownerKey });
      expect([shown.status, shown.body.error.code]).toEqual([503, 'store_unavailable']);
      expect(decided.body.error.message).toContain('policy revision 1 of');
      expect(after.logged()).toContain(`policy revision 1 of ${before.workspace}`);
      await after.stop();
    }
    const mending = await startTestService({ folder });
    const mended = { documents: STRICT, confirmLoosening: true };
    expect((await ask(`${mending.url}/v1/policies`, { ...policies, json: mended })).status).toBe(200);
    await mending.stop();
    rmSync(folder, { recursive: true });
  });

  test('a swap is refused if another bundle runs than its author expects', async () => {
    const { body } = await put(STRICT);
    const confirmed = '?confirmLoosening=true';
    const stale = await put([], { query: confirmed, headers: { 'if-match': '"sha256:0000"' } });
    expect([stale.status, stale.body.error.code]).toEqual([409, 'revision_conflict']);
    const right = await put([], { query: confirmed, headers: { 'if-match': `"${body.digest}"` } });
    expect(right.body.revision).toBe(2);
    expect((await put([], { headers: { 'if-match': 'unquoted' } })).status).toBe(422);
  });

  test('of many swaps from the same bundle exactly one succeeds', async () => {
    const { body } = await put(STRICT);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        put([{ kind: 'Profile', id: `p${at}`, require: ['x'] }], {
          query: '?confirmLoosening=true',
          headers: { 'if-match': `"${body.digest}"` },
        }),
      ),
    );
    const codes = replies.map(({ status, body: { error } }) => error?.code ?? status).toSorted();
    expect(codes).toEqual([200, ...Array(9).fill('revision_conflict')]);
    expect((await running()).revision).toBe(2);
  });

  test('a rollback is a new revision with the old digest, and is confirmed like any change', async () => {
    const first = await put(STRICT);
    const stricter = [STRICT[0], { ...STRICT[1], require: ['dual', 'approval'] }];
    expect((await put(stricter)).body.revision).toBe(2);
    const rollback = (json: object) =>
      ask(`${service.url}/v1/policies/rollback`, { key: service.ownerKey, json });
    expect((await rollback({ revision: 1 })).body.error.code).toBe('loosening_unconfirmed');
    expect((await rollback({ revision: 1, confirmLoosening: true })).body).toEqual({
      revision: 3,
      digest: first.body.digest,
    });
    expect((await rollback({ revision: 9 })).status).toBe(404);
    const { body } = await ask(`${service.url}/v1/policies/revisions`, { key: service.ownerKey });
    expect(body.revisions.map(({ revision }: { revision: number }) => revision)).toEqual([3, 2, 1]);
    expect(body.revisions[0]).toMatchObject({ digest: first.body.digest, rollbackOf: 1 });
  });

  test('a revision keeps its author’s message', async () => {
    const said = (message: string) => ({ query: `?message=${encodeURIComponent(message)}` });
    expect((await put(STRICT, said('two\nlines'))).body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ pointer: '/message' }],
    });
    await put(STRICT);
    const stricter = [STRICT[0], { ...STRICT[1], require: ['dual', 'approval'] }];
    expect((await put(stricter, said('the desk asks for an approval'))).status).toBe(200);
    const { body } = await ask(`${service.url}/v1/policies/revisions`, { key: service.ownerKey });
    expect(body.revisions.map(({ message }: { message: string | null }) => message)).toEqual([
      'the desk asks for an approval',
      null,
    ]);
  });

  test('YAML documents are applied, and have the digest of the same JSON', async () => {
    const { body } = await putYaml(`
kind: ControlPack
id: core
controls:
  dual: { maxAge: 1h }
---
kind: Profile
id: emails
match: { system: crm, field: email }
require: [dual]
`);
    expect(body.revision).toBe(1);
    expect((await put(STRICT)).body).toEqual(body);
  });

  test('an invalid bundle lists every error with its place, and changes nothing', async () => {
    await put(STRICT);
    const { status, body } = await putYaml(
      'kind: Profile\nid: a\nreqire: [x]\n---\nkind: Profile\nid: b\nwhen: "1 +"\n',
    );
    expect([status, body.error.code]).toEqual([422, 'invalid_policy']);
    const places = body.error.details.map(({ pointer, line }: { pointer: string; line: number }) => [
      pointer,
      line,
    ]);
    expect(places).toEqual([
      ['/documents/0/reqire', 3],
      ['/documents/1/when', 7],
    ]);
    expect((await running()).revision).toBe(1);
  });

  test('ambiguous or unbounded YAML is refused with line and column', async () => {
    const bomb = `a: &a [x,x]\n${'bcdefgh'
      .split('')
      .map((name, at) => `${name}: &${name} [*${'abcdefgh'[at]},*${'abcdefgh'[at]}]`)
      .join('\n')}`;
    for (const [yaml, line] of [
      ['kind: Profile\nid: a\nid: b\n', 3],
      [bomb, 2],
      ['kind: Profile\nid: [\n', 3],
      ['kind: !!js/function x\n', 1],
      ['kind: Profile\nid: .inf\n', 2],
      [`kind: ${'['.repeat(50_000)}`, undefined],
      ['__proto__: {}\nkind: Profile\n', 1],
    ] as const) {
      const { status, body } = await putYaml(yaml);
      expect([status, body.error.code]).toEqual([422, 'invalid_policy']);
      expect(body.error.details[0].line).toBeTypeOf('number');
      if (line !== undefined) expect(body.error.details[0].line, yaml).toBe(line);
    }
  });

  test('a bundle whose own tests fail is not applied', async () => {
    const expecting = (decision: string) => ({
      kind: 'PolicyTest',
      id: 't',
      intent: ALLOWED,
      now: '2026-11-15T12:00:00Z',
      expect: { decision },
    });
    const failed = await put([...STRICT, expecting('allow')]);
    expect(failed.body.error.details).toEqual([
      { pointer: '/documents/2/expect/decision', message: 'test `t`: expected `allow`, found `pause`' },
    ]);
    expect((await put([...STRICT, expecting('pause')])).status).toBe(200);
  });

  test('a revoked attestation is logged once', async () => {
    const revoke = () =>
      ask(`${service.url}/v1/evidence/revocations`, {
        key: service.ownerKey,
        json: { source: 'okta', jti: 'j-1' },
      });
    const first = await revoke();
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ source: 'okta', jti: 'j-1', revokedAt: expect.any(String) });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await revoke()).body).toEqual(first.body);
  });

  test('the schema of policy documents is published, for editors', async () => {
    const { status, body } = await ask(`${service.url}/v1/schemas/policy-document.v1.json`);
    expect([status, body.properties.kind.enum]).toEqual([
      200,
      expect.arrayContaining(['Profile', 'PolicyTest']),
    ]);
  });
});
