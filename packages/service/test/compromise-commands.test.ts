/** After a compromise: everybody but one key is shut out with the store's own rights. */
import { expect, test, vi } from 'vitest';
import { revokeKeyCommand } from '../../cli/src/operator/key-commands.ts';
import {
  disablePersonCommand,
  listPeopleCommand,
  removePersonCommand,
} from '../../cli/src/operator/people-commands.ts';
import { ask } from './ask.ts';
import { join } from './people-kit.ts';
import { startTestService } from './start-service.ts';

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
  // Without an exception the last owner key is left, and the command says so.
  await expect(revokeKeyCommand({ data, all: true, yes: true }, undefined)).rejects.toThrow(
    `${mine} still works`,
  );
  await service.stop();
});

test('a person is listed, disabled and removed: their session ends, and nothing in the row says who it was', async () => {
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
    expect(found!.history.at(-1)).toMatchObject({ event: 'disabled', by: { kind: 'operator' } });
  }
  await expect(disablePersonCommand({ data }, 'per_nobody')).rejects.toThrow('there is no person');
  await service.stop();
});
