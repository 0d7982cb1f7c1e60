/** Commands on a missing store say so and create nothing, because an empty store hides a wrong folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../cli/src/program.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { runWritecheck, temporaryFolder } from '../spawn-service.ts';

/** The two that create a store. */
const OTHERS = ['serve', 'workspace create'];
/** Further arguments that a command needs to get as far as the store. */
const ALSO: { readonly [command: string]: readonly string[] } = {
  'audit prune': ['--before', '2020-01-01T00:00:00Z', '--yes', '--reason', 'old'],
  freeze: ['--reason', 'x', '--all'],
  'freeze lift': ['--reason', 'x'],
  'migrate-store': ['--database-url', 'postgres://127.0.0.1:1/writecheck'],
};

const pathsOf = (command: Command, path: string): readonly (readonly [string, Command])[] => [
  [path, command],
  ...command.commands.flatMap((each) => pathsOf(each, `${path} ${each.name()}`.trim())),
];

const onStore = pathsOf(program(), '')
  .filter(([path, { options }]) => options.some(({ long }) => long === '--data') && !OTHERS.includes(path))
  .map(([path, command]) => {
    const needed = command.registeredArguments.map(() => 'some_id');
    const mandatory = command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, argChoices }) => [long!, argChoices?.[0] ?? 'x']);
    return [path, [...path.split(' '), ...needed, ...mandatory, ...(ALSO[path] ?? [])]] as const;
  });

test('every command on the store is tried', () => {
  expect(onStore.map(([path]) => path)).toEqual([
    ...[
      'workspace list',
      'workspace suspend',
      'workspace resume',
      'workspace delete',
      'workspace grant-live',
    ],
    ...['keys create', 'keys list', 'keys revoke', 'keys rotate'],
    ...['people list', 'people disable', 'people remove'],
    ...['freeze', 'freeze lift', 'freeze list'],
    ...['audit prove', 'audit prune', 'audit restore', 'audit continue', 'index rebuild'],
    'migrate-store',
  ]);
});

test.each(onStore)('%s in the wrong folder creates nothing and names the flag', async (_path, args) => {
  const data = join(temporaryFolder(), 'wrong');
  const { code, stdout, stderr } = await runWritecheck([...args, '--data', data]);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `there is no store in \`${data}\`; name its folder with --data or WRITECHECK_DATA\n`,
  ]);
  expect(existsSync(data)).toBe(false);
});

describe('on PostgreSQL', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.remove());

  test('an empty database stays empty', async () => {
    const url = await server.newDatabase();
    const data = join(temporaryFolder(), 'wrong');
    for (const args of [
      ['keys', 'list'],
      ['audit', 'prove', 'dec_x'],
      ['index', 'rebuild'],
    ]) {
      const { code, stderr } = await runWritecheck([...args, '--data', data, '--database-url', url]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^there is no store at `postgres.*`; name its database with --database-url/);
    }
    const schemas = await onServer(url, (client) =>
      client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'writecheck'"),
    );
    expect([schemas.rowCount, existsSync(data)]).toEqual([0, false]);
  });

  test('a receipt is not signed with a key created for it', async () => {
    const url = await server.newDatabase();
    const data = join(temporaryFolder(), 'wrong');
    const on = (...args: readonly string[]) =>
      runWritecheck([...args, '--data', data, '--database-url', url]);
    expect((await on('workspace', 'create', 'x')).code).toBe(0);
    const { code, stderr } = await on('audit', 'restore');
    expect([code, stderr]).toEqual([1, expect.stringContaining('name its file with --signing-key')]);
    expect(existsSync(data)).toBe(false);
  });
});
