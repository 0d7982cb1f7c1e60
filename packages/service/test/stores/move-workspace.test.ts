/** A workspace moves from one store to another: nothing is decided twice, and nothing used becomes usable again. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { verifyReceipt } from '@writecheck/client/receipt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check, signUp } from '../ask.ts';
import { exportOf, newFolder, verdictOf } from '../audit/audit-kit.ts';
import { knownWithin } from '../known-within.ts';
import { join, sign } from '../people/people-kit.ts';
import { originOf, signIn } from '../sign-in-kit.ts';
import { runWritecheck } from '../spawn-service.ts';
import type { TestService } from '../start-service.ts';
import {
  entriesOf,
  interruptImport,
  livedIn,
  move,
  newFile,
  openPlace,
  type Place,
  redeem,
  refund,
} from './move-kit.ts';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = newFolder();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The workspace's keys at another address. */
const at = (place: Place, { workspace, ownerKey, liveKey, developmentKey }: TestService): TestService => ({
  ...place.service,
  ...{ workspace, ownerKey, liveKey, developmentKey },
});

const WAYS = [
  { kinds: ['SQLite', 'PostgreSQL'], tags: [] },
  { kinds: ['PostgreSQL', 'PostgreSQL'], tags: ['nightly'] },
];

for (const { kinds, tags } of WAYS)
  describe(`from ${kinds.join(' to ')} and back`, { tags }, () => {
    let places: Place[];
    beforeAll(async () => {
      places = [];
      for (const kind of kinds) places.push(await openPlace(kind === 'SQLite' ? null : server));
    });
    afterAll(async () => {
      for (const place of places) await place.remove();
    });

    test('everything continues where it was, and the old place decides nothing more', async () => {
      let [from, to] = places as [Place, Place];
      const home = from.service;
      const { workspace, ownerKey, liveKey } = home;
      const stranger = await signUp(home);
      const ada = await join(home);
      const lived = await livedIn(from);
      const known = (await ask(`${home.url}/v1/audit/checkpoint`)).text;
      const usage = (await ask(`${home.url}/v1/usage`, { key: ownerKey })).body;

      const first = await move(workspace, from, to, folder);
      // What stayed behind.
      const gone = [
        await check(home, refund('ann'), { key: liveKey }),
        await check(home, refund('ann', 'kept'), lived.once),
        await redeem(home, liveKey, lived.open),
        await ask(`${home.url}/v1/keys`, { key: ownerKey }),
      ];
      expect(gone.map(({ status, body }) => [status, body.error.code])).toEqual(
        gone.map(() => [401, 'key_revoked']),
      );
      expect(gone[0]!.text).toContain('has moved to another deployment; use its URL');
      expect((await ask(`${home.url}/v1/me`, { key: ada.token })).status).toBe(401);
      expect((await signIn(home, ada.device, { origin: originOf(home) })).reply.status).not.toBe(201);
      expect((await check(home, ALLOWED, { key: stranger.developmentKey })).body.decision).toBe('allow');

      // Where it is now.
      const here = at(to, home);
      expect((await check(here, refund('ann', 'kept'), lived.once)).text).toBe(lived.kept.text);
      expect((await redeem(here, liveKey, lived.taken)).body.error.code).toBe('already_redeemed');
      const again = await redeem(here, liveKey, lived.taken, lived.takenOnce);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect((await redeem(here, liveKey, lived.open)).body.error.code).toBe('not_redeemable');
      expect((await ask(`${here.url}/v1/usage`, { key: ownerKey })).body).toEqual(usage);
      const erp = { ...ALLOWED, system: 'erp' };
      expect((await check(here, erp, { key: liveKey })).body.reason_code).toBe('frozen');
      const drawn = [];
      for (let i = 0; i < 3; i += 1)
        drawn.push((await check(here, refund('ann'), { key: liveKey })).body.decision);
      expect(drawn.filter((decision) => decision === 'allow')).toHaveLength(2);
      expect((await check(here, refund('bob'), { key: liveKey })).body.decision).toBe('allow');

      const signedIn = await signIn(here, ada.device, { origin: originOf(here) });
      expect([signedIn.reply.status, signedIn.reply.body.person?.id]).toEqual([201, ada.id]);
      const member = { ...ada, token: signedIn.reply.body.session.token as string };
      const approved = await sign(here, member, lived.review, { lies: { origin: originOf(here) } });
      expect(approved.status, approved.text).toBe(200);
      const approve = `${here.url}/v1/reviews/${lived.review.id}`;
      const { evidence } = (await ask(approve, { key: liveKey })).body.review;
      const withApproval = { ...lived.reviewed, controlEvidence: evidence };
      expect((await check(here, withApproval, { key: liveKey })).body.decision).toBe('allow');
      expect((await check(here, withApproval, { key: liveKey })).body.decision).not.toBe('allow');

      const listed = (await ask(`${here.url}/v1/decisions?limit=200`, { key: ownerKey })).body.decisions;
      const ids = listed.map(({ decision_id }: { decision_id: string }) => decision_id);
      expect(ids).toEqual(
        expect.arrayContaining([lived.kept, lived.taken, lived.open].map(({ body }) => body.decision_id)),
      );

      // The log, and the old checkpoints and receipts.
      const keys = `${from.keys}\n${to.keys}`;
      const exported = await exportOf(here);
      const whole = await verdictOf(exported, { keys, workspace, knownCheckpoints: [known] });
      expect(whole).toMatchObject({
        ok: true,
        counts: { kinds: { 'workspace.moved': 1, 'workspace.received': 1 } },
      });
      const { receipt } = lived.taken.body;
      const old = { receipt, intent: refund('ann', 'taken'), keys: from.keys, workspace, now: Date.now() };
      expect(await verifyReceipt(old)).toMatchObject({ ok: true });
      const later = await ask(`${here.url}/v1/decisions/${lived.taken.body.decision_id}/receipt`, {
        key: ownerKey,
      });
      expect(await verifyReceipt({ ...old, receipt: later.body, keys: to.keys })).toMatchObject({ ok: true });
      // A verifier that trusts only the key of this store verifies everything in it.
      expect(await verdictOf(await exportOf(to.service), { keys: to.keys })).toMatchObject({ ok: true });

      // The same file, a second time and in another place.
      const refused = async (place: Place, file = first, ...keys: readonly string[]) =>
        (await place.command('workspace', 'import', file, ...(keys.length > 0 ? keys : from.keysFile)))
          .stderr;
      expect(await refused(to)).toContain('the workspace already lives here');
      expect(await refused(from)).toContain('which is another one');

      // A second workspace of the same log.
      await move(stranger.workspace.id, from, to, folder);
      const second = { ...here, workspace: stranger.workspace.id, ownerKey: stranger.ownerKey };
      expect((await check(second, ALLOWED, { key: stranger.developmentKey })).body.decision).toBe('allow');
      expect(await verdictOf(await exportOf(second), { keys, workspace: second.workspace })).toMatchObject({
        ok: true,
      });
      expect(
        await verdictOf(await exportOf(here), { keys, workspace, knownCheckpoints: [known] }),
      ).toMatchObject({ ok: true });

      // An import that was interrupted before its last step is repeated.
      await interruptImport(to, workspace, first);
      const half = await check(here, refund('bob'), { key: liveKey });
      expect([half.status, half.body.error.code]).toEqual([401, 'key_revoked']);
      const repeated = await to.command('workspace', 'import', first, ...from.keysFile);
      expect(repeated).toMatchObject({ code: 0, stderr: '' });
      expect((await check(here, refund('bob'), { key: liveKey })).body.decision).toBe('allow');

      // Both services start on their stores, and the workspace returns.
      from = await from.restart();
      to = await to.restart();
      places = [from, to];
      const back = await move(workspace, to, from, folder);
      const returned = at(from, home);
      expect((await check(at(to, home), refund('bob'), { key: liveKey })).body.error.code).toBe(
        'key_revoked',
      );
      expect((await check(returned, refund('ann', 'kept'), lived.once)).text).toBe(lived.kept.text);
      expect((await check(returned, refund('ann'), { key: liveKey })).body.decision).not.toBe('allow');
      expect((await check(returned, refund('bob'), { key: liveKey })).body.decision).toBe('allow');
      expect((await check(returned, withApproval, { key: liveKey })).body.decision).not.toBe('allow');
      expect((await redeem(returned, liveKey, lived.taken)).body.error.code).toBe('already_redeemed');
      // Its log is open here, but it may have been asked for again while the workspace was away.
      expect((await redeem(returned, liveKey, lived.open)).body.error.code).toBe('not_redeemable');
      const fresh = await check(returned, refund('eve'), { key: liveKey });
      expect((await redeem(returned, liveKey, fresh)).body.redeemed).toBe(true);
      expect(
        await verdictOf(await exportOf(returned), { keys, workspace, knownCheckpoints: [known] }),
      ).toMatchObject({ ok: true });
      // A workspace that has moved away again cannot be imported from an old file.
      expect(await refused(to)).toContain('it has moved since this file was written');
      expect(await refused(from, back, ...to.keysFile)).toContain('the workspace already lives here');
    }, 180_000);
  });

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`every allow made while the workspace was closing is in the log before the entry that closes it, on ${kind}`, {
    tags: kind === 'SQLite' ? [] : ['nightly'],
    timeout: 120_000,
  }, async () => {
    const place = await openPlace(kind === 'SQLite' ? null : server);
    const { service } = place;
    const { workspace, liveKey, ownerKey } = service;
    const { open } = await livedIn(place);
    const allowed: string[] = [];
    const agent = async (): Promise<void> => {
      for (let i = 0; ; i += 1) {
        const { status, body } = await check(service, refund(`customer-${i % 3}-${Math.random()}`), {
          key: liveKey,
        });
        if (status === 200 && body.decision === 'allow') allowed.push(body.decision_id);
        else {
          expect([401, 410]).toContain(status);
          return;
        }
      }
    };
    const agents = [agent(), agent(), agent(), agent()];
    while (allowed.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    // Another process runs it, as an operator would.
    const command = ['workspace', 'export', workspace, '--to', 'log-elsewhere', '--out', newFile(folder)];
    const sealed = runWritecheck([...command, ...place.flags]);
    await Promise.all(agents);
    expect(await sealed).toMatchObject({ code: 0, stderr: '' });
    // A process may still cache a key for this long.
    await knownWithin(
      1_000,
      () => check(service, refund('late'), { key: liveKey }),
      ({ status }) => status === 401,
    );
    const late = [
      await check(service, refund('late'), { key: liveKey }),
      await redeem(service, liveKey, open),
      await ask(`${service.url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'late' } }),
    ];
    expect(late.map(({ status }) => status)).toEqual([401, 401, 401]);
    const entries = await entriesOf(service.store, workspace);
    const end = entries.findIndex((entry) => entry.kind === 'workspace.moved');
    expect(entries.slice(end + 1)).toEqual([]);
    const recorded = new Set(
      entries.map((entry) => (entry.kind === 'decision' ? entry.leaf.decision_id : '')),
    );
    expect(allowed.filter((id) => !recorded.has(id))).toEqual([]);
    await place.remove();
  });

describe('a file of a move', () => {
  let from: Place;
  let to: Place;
  beforeAll(async () => {
    from = await openPlace(null);
    to = await openPlace(null);
    await livedIn(from);
  });
  afterAll(async () => {
    await from.remove();
    await to.remove();
  });

  test('is tested without closing anything, then refused unless it is complete and signed by its origin', async () => {
    const { workspace, liveKey } = from.service;
    const address = await to.address();
    const trial = newFile(folder);
    const rehearsed = await from.command(
      'workspace',
      'export',
      workspace,
      '--to',
      address,
      '--out',
      trial,
      '--dry-run',
    );
    expect(rehearsed).toMatchObject({ code: 0, stderr: '' });
    expect((await check(from.service, refund('eve'), { key: liveKey })).body.decision).toBe('allow');
    const tried = await to.command('workspace', 'import', trial, ...from.keysFile, '--dry-run');
    expect(tried.stdout).toContain('api_key: 3');
    expect(tried.stdout).toContain('nothing was changed');
    const rehearsal = await to.command('workspace', 'import', trial, ...from.keysFile);
    expect([rehearsal.code, rehearsal.stderr]).toEqual([1, expect.stringContaining('is a rehearsal')]);
    const itself = await from.command(
      'workspace',
      'export',
      workspace,
      '--to',
      await from.address(),
      '--out',
      newFile(folder),
    );
    expect([itself.code, itself.stderr]).toEqual([1, expect.stringContaining('lives already')]);

    const file = newFile(folder);
    const exported = await from.command('workspace', 'export', workspace, '--to', address, '--out', file);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const elsewhere = await from.command(
      'workspace',
      'export',
      workspace,
      '--to',
      'log-00',
      '--out',
      newFile(folder),
    );
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      expect.stringContaining('only that store may import it'),
    ]);
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n');
    const keyLine = lines.findIndex((line) => line.includes('"table":"api_key"'));
    const spoilt: readonly (readonly [string, string])[] = [
      ['it is cut', lines.slice(0, -2).join('\n')],
      ['it is cut', text.slice(0, -1)],
      ['truncated', lines.slice(0, 9).join('\n')],
      [
        'it was changed',
        text.replace('"live_granted"', '"live_granted"').replace('"kind":"live"', '"kind":"owner"'),
      ],
      ['it was changed', lines.filter((_, i) => i !== keyLine).join('\n')],
      ['it was changed', text.replace('"isRehearsal":false', '"isRehearsal":true')],
      ['does not belong there', `${text}{"kind":"row","table":"api_key","row":{}}\n`],
      ['it is not the file of a move', 'hello\n'],
    ];
    const bad = newFile(folder);
    for (const [why, content] of spoilt) {
      writeFileSync(bad, content);
      const { code, stderr } = await to.command('workspace', 'import', bad, ...from.keysFile);
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
    }
    const { stderr } = await to.command('workspace', 'import', file, ...to.keysFile);
    expect(stderr).toContain('is refused');
    expect((await check(at(to, from.service), refund('eve'), { key: liveKey })).body.error.code).toBe(
      'invalid_key',
    );
    const taken = await to.command('workspace', 'import', file, ...from.keysFile);
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    expect((await check(at(to, from.service), refund('eve'), { key: liveKey })).body.decision).toBe('allow');
    expect((await from.command('workspace', 'list')).stdout).toContain(`${workspace}  moved to ${address}`);
    // An erasure also finds the copy that stayed behind.
    await from.command('workspace', 'create', 'another');
    const erased = await from.command('audit', 'prune', '--text', 'nobody at all');
    expect([erased.code, erased.stdout]).toEqual([
      1,
      expect.stringContaining(
        `${workspace} has moved away or is arriving; its records here were not searched`,
      ),
    ]);
  }, 120_000);
});
