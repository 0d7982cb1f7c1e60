import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
let service: TestService | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-policies-'));
});
afterEach(async () => {
  await service?.stop();
  service = null;
  rmSync(folder, { recursive: true, force: true });
});

const save = (file: string, text: string) => writeFileSync(join(folder, file), text);
async function start(options: { readonly folder?: string } = {}): Promise<TestService> {
  service = await startTestService({ settings: { policies: folder }, ...options });
  return service;
}
const running = async ({ url, ownerKey }: TestService) =>
  (await ask(`${url}/v1/policies`, { key: ownerKey })).body as {
    readonly revision: number;
    readonly documents: readonly { readonly require?: readonly string[] }[];
  };

async function until(what: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await what())) {
    if (performance.now() - startedMs > 15_000) throw new Error('it did not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a watched folder', () => {
  test('is loaded into the first workspace, and a change that tightens is applied', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await until(async () => (await running(one)).revision === 1);
    expect((await check(one, ALLOWED)).body.required_controls).toContain('dual');
    save('emails.yaml', STRICTER);
    await until(async () => (await running(one)).revision === 2);
    expect((await check(one, ALLOWED)).body.required_controls).toContain('second');
  });

  test('that holds an error changes nothing; the log names file, line and column, and fixing it helps', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await until(async () => (await running(one)).revision === 1);
    save('more.yml', 'kind: Profile\nid: b\nreqire: [x]\n');
    await until(async () => one.logged().includes('more.yml:3:'));
    expect(one.logged()).toContain('"file":"more.yml","line":3');
    expect((await running(one)).revision).toBe(1);
    expect((await check(one, ALLOWED)).body.required_controls).toContain('dual');
    save('more.yml', 'kind: Profile\nid: b\nmatch: { field: x }\nrequire: [x]\n');
    await until(async () => (await running(one)).revision === 2);
  });

  test('that loosens is refused with a log line, and confirmed by applying the same bundle over the API', async () => {
    save('emails.yaml', STRICTER);
    const one = await start();
    await until(async () => (await running(one)).revision === 1);
    save('emails.yaml', STRICT);
    await until(async () => one.logged().includes('it no longer requires `second`'));
    expect(one.logged()).toContain('confirm it by applying the same bundle over the API');
    expect((await running(one)).revision).toBe(1);
    const put = (body: string, query = '') =>
      ask(`${one.url}/v1/policies${query}`, {
        method: 'PUT',
        key: one.ownerKey,
        headers: { 'content-type': 'application/yaml' },
        body,
      });
    const other = await put('kind: Profile\nid: other\n', '?confirmLoosening=true');
    expect([other.status, other.body.error.code]).toEqual([409, 'managed_by_folder']);
    expect((await put(STRICT)).body.error.code).toBe('loosening_unconfirmed');
    expect((await put(STRICT, '?confirmLoosening=true')).body.revision).toBe(2);
    const back = await ask(`${one.url}/v1/policies/rollback`, {
      key: one.ownerKey,
      json: { revision: 1, confirmLoosening: true },
    });
    expect(back.body.error.code).toBe('managed_by_folder');
  });

  test('holds the policies of the first workspace only', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    const { ownerKey } = await signUp(one);
    const applied = await ask(`${one.url}/v1/policies`, {
      method: 'PUT',
      key: ownerKey,
      json: { documents: [] },
    });
    expect(applied.status).toBe(200);
  });

  test('that vanishes or is emptied is refused, and the bundle still decides', async () => {
    save('emails.yaml', STRICT);
    const one = await start();
    await until(async () => (await running(one)).revision === 1);
    renameSync(folder, `${folder}-away`);
    await until(async () => one.logged().includes('it does not exist'));
    expect((await check(one, ALLOWED)).body.required_controls).toContain('dual');
    mkdirSync(folder);
    await until(async () => one.logged().includes('it contains no policy files'));
    expect((await running(one)).revision).toBe(1);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-away`, folder);
    save('emails.yaml', STRICTER);
    await until(async () => (await running(one)).revision === 2);
  });

  test('that cannot be used keeps a service without any bundle from starting', async () => {
    save('bad.yaml', 'kind: Profil\n');
    await expect(start()).rejects.toMatchObject({ faults: [expect.stringMatching(/^bad\.yaml:1:7: /)] });
  });

  test('may be empty at first, and is applied when it is filled', async () => {
    const one = await start();
    expect((await running(one)).revision).toBe(0);
    save('emails.yaml', STRICT);
    await until(async () => (await running(one)).revision === 1);
  });

  test('is read after a second without changes: files saved one after the other are one change', async () => {
    save('a.yaml', STRICT);
    const one = await start();
    await until(async () => (await running(one)).revision === 1);
    for (let at = 0; at < 5; at += 1) {
      save('a.yaml', `${STRICT}---\nkind: Profile\nid: p${at}\n`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await until(async () => (await running(one)).revision > 1);
    expect((await running(one)).revision).toBe(2);
    expect((await running(one)).documents).toMatchObject([{ id: 'emails' }, { id: 'p4' }]);
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
