import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPolicyFolder } from '../../src/features/policies/read-policy-folder.ts';
import { ALLOWED, ask, check, signUp } from '../ask.ts';
import { ownerKeyOf, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

const STRICT = 'kind: Profile\nid: emails\nmatch: { system: crm, field: email }\nrequire: [dual]\n';
const STRICTER = STRICT.replace('[dual]', '[dual, second]');

let folder: string;
let data: string;
let service: TestService | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-policies-'));
  data = temporaryFolder();
});
afterEach(async () => {
  await service?.stop();
  service = null;
  rmSync(folder, { recursive: true, force: true });
});

const save = (file: string, text: string) => writeFileSync(join(folder, file), text);
async function start(): Promise<TestService> {
  service = await startTestService({ folder: data, settings: { policies: folder } });
  return service;
}
const running = async ({ url, ownerKey }: TestService) =>
  (await ask(`${url}/v1/policies`, { key: ownerKey })).body as {
    readonly revision: number;
    readonly documents: readonly { readonly require?: readonly string[] }[];
  };

/** Starts again with what the service has stored. */
async function again(settings: object = {}): Promise<TestService> {
  const { ownerKey, developmentKey, stop } = service!;
  await stop();
  const next = await startTestService({ folder: data, settings: { policies: folder, ...settings } });
  service = { ...next, ownerKey, developmentKey };
  return service;
}

describe('a folder', () => {
  test('is applied to the first workspace at the start, and not read again until the next one', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await expect.poll(async () => (await running(one)).revision).toBe(1);
    expect((await check(one, ALLOWED)).body.required_controls).toContain('dual');
    save('emails.yaml', STRICTER);
    const next = await again();
    expect((await running(next)).revision).toBe(2);
    expect((await check(next, ALLOWED)).body.required_controls).toContain('second');
    expect((await running(await again())).revision).toBe(2);
  });

  test('that holds an error changes nothing; the log names file, line and column', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await expect.poll(async () => (await running(one)).revision).toBe(1);
    save('more.yml', 'kind: Profile\nid: b\nreqire: [x]\n');
    const next = await again();
    expect(next.logged()).toContain('more.yml:3:');
    expect((await running(next)).revision).toBe(1);
    expect((await check(next, ALLOWED)).body.required_controls).toContain('dual');
    rmSync(join(folder, 'more.yml'));
    rmSync(join(folder, 'emails.yaml'));
    const empty = await again();
    expect(empty.logged()).toContain('it contains no policy files');
    expect((await running(empty)).revision).toBe(1);
  });

  test('that loosens is refused with its digest, and only that digest confirms it', async () => {
    save('emails.yaml', STRICTER);
    const one = await start();
    await expect.poll(async () => (await running(one)).revision).toBe(1);
    save('emails.yaml', STRICT);
    const refused = await again({ confirmLoosening: `sha256:${'0'.repeat(64)}` });
    expect(refused.logged()).toContain('it no longer requires `second`');
    expect((await running(refused)).revision).toBe(1);
    expect((await check(refused, ALLOWED)).body.required_controls).toContain('second');
    const [, digest] = /WRITECHECK_CONFIRM_LOOSENING=(sha256:[0-9a-f]{64})/.exec(refused.logged())!;
    const confirmed = await again({ confirmLoosening: digest });
    expect((await running(confirmed)).revision).toBe(2);
    expect((await check(confirmed, ALLOWED)).body.required_controls).not.toContain('second');
  });

  test('leaves the API free to apply another bundle, and other workspaces alone', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await expect.poll(async () => (await running(one)).revision).toBe(1);
    const { ownerKey } = await signUp(one);
    expect((await running({ ...one, ownerKey })).revision).toBe(0);
    const json = { documents: [{ kind: 'Profile', id: 'other', require: ['dual'] }] };
    const path = `${one.url}/v1/policies?confirmLoosening=true`;
    const applied = await ask(path, { method: 'PUT', key: one.ownerKey, json });
    expect([applied.status, applied.body.revision]).toEqual([200, 2]);
  });

  test('never becomes that of another workspace, once the first is deleted', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await expect.poll(async () => (await running(one)).revision).toBe(1);
    const other = await signUp(one);
    const by = { kind: 'operator', id: 'o' } as const;
    const change = { workspace: one.workspace, by, atMs: Date.now() };
    await one.store.changeWorkspaceState(change, 'deleted');
    await one.store.eraseWorkspace({ ...change, id: 'era_1' });
    save('emails.yaml', STRICTER);
    const next = await again();
    expect(await next.store.currentPolicy(other.workspace.id)).toBeNull();
  });

  test('that cannot be used, or is empty, keeps a service without any bundle from starting', async () => {
    await expect(start()).rejects.toMatchObject({ faults: ['it contains no policy files (*.yaml, *.yml)'] });
    save('bad.yaml', 'kind: Profil\n');
    await expect(start()).rejects.toMatchObject({ faults: [expect.stringMatching(/^bad\.yaml:1:7: /)] });
  });
});

test('with several processes too, nobody gets a key before the folder is applied', async () => {
  save('emails.yaml', STRICT);
  const { child, listening, stdout, finished } = spawnWritecheck([
    'serve',
    ...['--policies', folder, '--data', temporaryFolder(), '--port', '0', '--workers', '2'],
  ]);
  const url = await listening;
  const key = /wck_dev_\w+/.exec(stdout())![0];
  const { body } = await ask(`${url}/v1/check-write`, { key, json: ALLOWED });
  expect(body.required_controls).toContain('dual');
  child.kill('SIGTERM');
  expect((await finished).code).toBe(0);
});

test('a start that fails because the port is in use leaves the policies of the running service unchanged', async () => {
  const data = temporaryFolder();
  const first = spawnWritecheck(['serve', '--data', data, '--port', '0']);
  const url = await first.listening;
  const key = ownerKeyOf(first.stdout());
  save('emails.yaml', STRICT);
  const second = spawnWritecheck([
    ...['serve', '--policies', folder, '--data', data, '--port', new URL(url).port],
  ]);
  expect(await second.finished).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
  expect((await ask(`${url}/v1/policies`, { key })).body.revision).toBe(0);
  first.child.kill('SIGTERM');
  expect((await first.finished).code).toBe(0);
});

describe('reading a folder', () => {
  const names = async () => {
    const reading = await readPolicyFolder(folder);
    return reading.kind === 'files' ? reading.files.map(({ file }) => file) : reading.message;
  };

  test('reads *.yaml and *.yml of all subfolders, and nothing that editors leave behind', async () => {
    mkdirSync(join(folder, 'sub/deep'), { recursive: true });
    mkdirSync(join(folder, '.git'));
    for (const name of ['b.yaml', 'sub/deep/a.yml', 'C.YAML']) save(name, STRICT);
    for (const name of ['.#b.yaml', '.b.yaml.swp', 'b.yaml~', '#b.yaml#', 'notes.txt', '.git/x.yaml', '4913'])
      save(name, 'nonsense');
    expect(await names()).toEqual(['C.YAML', 'b.yaml', 'sub/deep/a.yml']);
  });

  test('follows links as in a mounted ConfigMap, and never in a circle', async () => {
    mkdirSync(join(folder, '..2026_11_15'));
    save('..2026_11_15/a.yaml', STRICT);
    symlinkSync('..2026_11_15', join(folder, '..data'));
    symlinkSync('..data/a.yaml', join(folder, 'a.yaml'));
    symlinkSync('.', join(folder, 'round'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    expect(await names()).toEqual(['a.yaml']);
    symlinkSync('nowhere', join(folder, 'dangling.yaml'));
    expect(await names()).toBe('`dangling.yaml` does not exist');
  });

  test('refuses a folder that is too large', async () => {
    save('a.yaml', `# ${'x'.repeat(4 * 1024 * 1024)}`);
    expect(await names()).toContain('more than');
  });
});
