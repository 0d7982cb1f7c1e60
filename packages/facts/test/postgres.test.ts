import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../store/test/test-postgres.ts';
import { claimsOf, control, INTENT, startTestReader, type TestReader } from './reader-kit.ts';

let server: TestServer;
let reader: TestReader;
let url: string;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.newDatabase();
  await onDatabase(`
    create table invoice (
      id text primary key, total numeric(30, 4), tax float8, lines int8, paid boolean, note text,
      created timestamptz, due date, tags jsonb, raw json, ref uuid);
    insert into invoice values ('I-1', 123456789.5, 0.1, 9007199254740991, true, null,
      '2026-01-02 03:04:05.678+02', '2026-02-01', '{"a": [1, null]}', '{"b": 1}', '00000000-0000-0000-0000-000000000001');
    create table numbered (id int primary key);
    insert into numbered values (123);
    create table line (id text, amount numeric);
    insert into line select 'I-1', n from generate_series(1, 3) n;
    create table many as select 'I-1'::text as id, n from generate_series(1, 1001) n;
  `);
  const sql = (query: string, more: object = {}) => control({ sql: { url, query, key: 'id', ...more } });
  const value = (expression: string) => sql(`select :objectRef::text as id, ${expression} as value`);
  reader = await startTestReader({
    invoice: sql('select * from invoice where id = :objectRef'),
    numbered: sql('select * from numbered where id = :objectRef'),
    lines: sql('select id, amount from line where id = :objectRef order by amount', { many: true }),
    tooMany: sql('select * from many', { many: true }),
    two: sql("select id from many where 'a;:b' <> $$:c$$ and n < 3 -- :d"),
    writes: sql('delete from line where id = :objectRef returning id'),
    sleeps: sql('select :objectRef::text as id from pg_sleep(30)'),
    fails: sql('select 1 / 0 as id'),
    fifteen: value('123456789012.345::numeric'),
    zeros: value('12.50000000000000000000::numeric'),
    sixteen: value('1234567890123456::numeric'),
    unsafe: value('9007199254740992::int8'),
    nan: value("'NaN'::float8"),
    infinity: value("'infinity'::timestamptz"),
    noZone: value("'2026-01-01 00:00:00'::timestamp"),
    array: value("array['a']"),
    duplicates: value(`'{"a":1,"a":2}'::json`),
    unreachable: control({ sql: { url: 'postgres://127.0.0.1:9/none', query: 'select 1 as id', key: 'id' } }),
  });
});
afterAll(async () => {
  await reader?.stop();
  await server?.remove();
});

async function onDatabase(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const read = (name: string, objectRef = 'I-1') =>
  reader.ask({ ...INTENT, objectRef }, { query: `?controls=${name}` });
const factsOf = async (name: string, objectRef?: string) =>
  claimsOf((await read(name, objectRef)).items[0]).facts;

describe('PostgreSQL', () => {
  test('gives numbers as numbers, instants in UTC, json unchanged, and omits NULL', async () => {
    expect(await factsOf('invoice')).toEqual({
      id: 'I-1',
      total: 123456789.5,
      tax: 0.1,
      lines: Number.MAX_SAFE_INTEGER,
      paid: true,
      created: '2026-01-02T01:04:05.678Z',
      due: '2026-02-01',
      tags: { a: [1, null] },
      raw: { b: 1 },
      ref: '00000000-0000-0000-0000-000000000001',
    });
    expect(await factsOf('lines')).toMatchObject({ rows: [{ amount: 1 }, { amount: 2 }, { amount: 3 }] });
    expect(await factsOf('fifteen')).toMatchObject({ value: 123456789012.345 });
    expect(await factsOf('zeros')).toMatchObject({ value: 12.5 });
    expect(await factsOf('numbered', '123')).toEqual({ id: 123 });
  });

  test.each([
    ['there is no row', 'invoice', 'I-9'],
    ['a number is found by another text', 'numbered', '0123'],
    ['the value is no number', 'numbered', 'x'],
    ['the value has a NUL', 'invoice', 'a\u0000b'],
    ['there are two rows', 'two', 'I-1'],
    ['there are over 1,000 rows', 'tooMany', 'I-1'],
    ['the statement writes', 'writes', 'I-1'],
    ['the query fails', 'fails', 'I-1'],
    ['a numeric has over 15 digits', 'sixteen', 'I-1'],
    ['a whole number is beyond 2^53 - 1', 'unsafe', 'I-1'],
    ['a number is NaN', 'nan', 'I-1'],
    ['a timestamp is infinite', 'infinity', 'I-1'],
    ['a timestamp has no zone', 'noZone', 'I-1'],
    ['a type has no JSON form', 'array', 'I-1'],
    ['json has a member twice', 'duplicates', 'I-1'],
    ['the database cannot be reached', 'unreachable', 'I-1'],
  ])('signs nothing if %s', async (_, name, objectRef) => {
    const { status, code } = await read(name, objectRef);
    expect([status, code]).toEqual([424, 'facts_unavailable']);
  });

  test('has written nothing', async () => {
    await read('writes');
    expect((await onDatabase('select 1 from line')).rowCount).toBe(3);
  });

  test('ends a statement that takes over two seconds, also on the server', async () => {
    expect((await read('sleeps')).status).toBe(424);
    const running = () =>
      onDatabase("select 1 from pg_stat_activity where query like '%pg_sleep(30)' and state = 'active'");
    await expect.poll(async () => (await running()).rowCount).toBe(0);
    expect((await read('invoice')).status).toBe(200);
  });

  test('survives a connection that the server ends in the middle of a query', async () => {
    const late = read('sleeps');
    const end = () =>
      onDatabase(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(30)' and state = 'active'",
      );
    await expect.poll(async () => (await end()).rowCount).toBe(1);
    expect((await late).status).toBe(424);
    expect((await read('invoice')).status).toBe(200);
  });

  test('is aborted in the middle of a row that is too long', async () => {
    const half = await proxyOfTheFirst(ROW_BYTES / 2, Number(new URL(url).port));
    const own = await startTestReader({ long: long(half.of(url)) });
    // A busy machine may be late, but waiting for the end of the row always is.
    const why = async () => {
      expect((await own.ask(INTENT)).status).toBe(424);
      return own.lines.at(-1);
    };
    await expect.poll(why).toContain('the rows are too long');
    await own.stop();
    await half.close();
  });

  test('that accepts a connection and sends nothing is abandoned', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const own = await startTestReader({ long: long(`postgres://reader@127.0.0.1:${port}/erp`) });
    expect((await own.ask(INTENT)).status).toBe(424);
    await own.stop();
    for (const socket of held) socket.destroy();
    silent.close();
  });

  test('has one pool, however many controls read it', async () => {
    const names = ['one', 'two', 'three'];
    const one = control({ sql: { url, query: 'select :objectRef::text as id', key: 'id' } });
    const counted = new URL(url);
    counted.searchParams.set('application_name', 'counted');
    const { sql } = one as { sql: object };
    const own = await startTestReader(
      Object.fromEntries(names.map((name) => [name, { ...one, sql: { ...sql, url: counted.href } }])),
    );
    expect((await own.ask(INTENT)).items).toHaveLength(3);
    const found = await onDatabase("select 1 from pg_stat_activity where application_name = 'counted'");
    expect(found.rowCount).toBe(1);
    await own.stop();
  });
});

const ROW_BYTES = 6_000_000;
const long = (at: string) =>
  control({
    sql: { url: at, query: `select :objectRef::text as id, repeat('x', ${ROW_BYTES}) as note`, key: 'id' },
  });

/** Never forwards the end of what the server sends. */
async function proxyOfTheFirst(most: number, target: number) {
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    client.pipe(server);
    let bytes = 0;
    server.on('data', (chunk) => {
      if (bytes < most) client.write(chunk);
      bytes += chunk.length;
    });
    for (const socket of [client, server])
      socket
        .on('error', () => undefined)
        .on('close', () => void [client, server].map((each) => each.destroy()));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    of: (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    close: () => new Promise((resolve) => proxy.close(resolve)),
  };
}
