/** Tests the commands that shut out everybody but one key, after a compromise, with direct access to the store. */
import { userInfo } from 'node:os';
import { expect, test, vi } from 'vitest';
import { revokeKeyCommand } from '../../../cli/src/operator/key-commands.ts';
import {
  disablePersonCommand,
  listPeopleCommand,
  removePersonCommand,
} from '../../../cli/src/operator/people-commands.ts';
import { ask } from '../ask.ts';
import { exportOf } from '../audit/audit-kit.ts';
import { join } from '../people/people-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

async function printed(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await work();
  } finally {
    write.mockRestore();
  }
  return lines.join('');
}

const OPERATOR = { kind: 'operator', id: userInfo().username };

/** What an export says of changes that an operator made. */
async function changesOf(service: TestService, key = service.ownerKey): Promise<readonly string[]> {
  const lines = await exportOf(service, {}, key);
  const leaves = lines.map((line) => (JSON.parse(line) as { readonly leaf?: string }).leaf ?? '');
  return leaves.flatMap((leaf) => {
    const entry = JSON.parse(Buffer.from(leaf, 'base64').toString() || '{}');
    if (entry.by?.kind !== 'operator') return [];
    return [`${entry.event ?? entry.kind} by ${entry.by.id}: ${entry.person ?? entry.key}`];
  });
}

test('every key but the named ones is revoked, and never the last owner key', async () => {
  const service = await startTestService();
  const { url, ownerKey, folder: data } = service;
  const made = await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'owner', name: 'mine' } });
  const mine = made.body.key.id;
  const unrevoked = async () =>
    (await service.store.listKeys(service.workspace))
      .filter((key) => key.revokedAtMs === null)
      .map(({ id }) => id);
  const all = await unrevoked();
  await expect(revokeKeyCommand({ data, all: true, except: ['key_typo'] }, undefined)).rejects.toThrow(
    'there is no key `key_typo`; nothing was revoked',
  );
  await expect(revokeKeyCommand({ data, all: true }, mine)).rejects.toThrow('not both');
  await expect(revokeKeyCommand({ data, except: [mine] }, 'key_1')).rejects.toThrow(
    '--except goes with --all',
  );
  expect(await unrevoked()).toEqual(all);
  const told = await printed(() => revokeKeyCommand({ data, all: true, except: [mine] }, undefined));
  expect(told.match(/is revoked/g)).toHaveLength(all.length - 1);
  expect(await unrevoked()).toEqual([mine]);
  expect(await changesOf(service, made.body.secret)).toContain(`key.revoked by ${OPERATOR.id}: ${all[0]}`);
  // If no exception is named, the last owner key stays, and the command says so.
  await expect(revokeKeyCommand({ data, all: true, yes: true }, undefined)).rejects.toThrow(
    `${mine} still works`,
  );
  await service.stop();
});

test('a person is listed, disabled and removed: their session ends, and the row no longer identifies them', async () => {
  const service = await startTestService();
  const { url, folder: data, workspace, store } = service;
  expect(await printed(() => listPeopleCommand({ data }))).toContain('nobody has joined this workspace');
  const [one, other] = [await join(service, { roles: ['owner'] }), await join(service)];
  expect(await printed(() => listPeopleCommand({ data }))).toMatch(
    new RegExp(`^${one.id}  active +owner  seen \\S+  ${one.name} <${one.email}>$`, 'm'),
  );
  expect((await ask(`${url}/v1/people`, { key: one.token })).status).toBe(200);
  await printed(() => disablePersonCommand({ data }, one.id));
  await expect.poll(async () => (await ask(`${url}/v1/people`, { key: one.token })).status).toBe(401);
  await printed(() => removePersonCommand({ data }, other.id));
  await printed(() => removePersonCommand({ data }, one.id));
  for (const { id, name, email } of [one, other]) {
    const [found] = await store.findPeople(workspace, [id]);
    expect(found).toMatchObject({ state: 'disabled', name: 'removed', hasPasskey: false, oidc: null });
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`${name}\\b|${email}`, 'i'));
    expect(found!.history.slice(-2)).toMatchObject([
      { event: 'disabled', by: OPERATOR },
      { event: 'removed', by: OPERATOR },
    ]);
  }
  const told = await changesOf(service);
  for (const { id } of [one, other])
    for (const event of ['disabled', 'removed']) expect(told).toContain(`${event} by ${OPERATOR.id}: ${id}`);
  // A repeated command has nothing to report.
  const again = await printed(async () => {
    await removePersonCommand({ data }, one.id);
    await disablePersonCommand({ data }, one.id);
  });
  expect(again).toBe(
    `${one.id} was removed before; nothing was changed\n${one.id} was disabled before; nothing was changed\n`,
  );
  expect(await changesOf(service)).toEqual(told);
  // Old verdicts name the id, so it never comes to mean somebody else.
  const path = `${url}/v1/people/${one.id}`;
  const key = service.ownerKey;
  const renamed = await ask(path, { method: 'PATCH', key, json: { name: 'somebody else' } });
  const invited = await ask(`${path}/invitation`, { method: 'POST', key });
  for (const { status, body } of [renamed, invited])
    expect([status, body.error.message]).toEqual([404, expect.stringContaining('was removed')]);
  const held = await ask(`${url}/v1/keys`, { key, json: { kind: 'live', name: 'theirs', heldBy: one.id } });
  expect([held.status, held.body.error.details[0].pointer]).toEqual([422, '/heldBy']);
  await expect(disablePersonCommand({ data }, 'per_nobody')).rejects.toThrow('there is no person');
  await service.stop();
});
