import { join } from 'node:path';
import { intentDigest } from '@writecheck/contract';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  claimsOf,
  control,
  folder,
  INTENT,
  startTestReader,
  type TestReader,
  WORKSPACE,
} from './reader-kit.ts';

const sql = (query: string, more: object = {}) =>
  control({ sql: { url: 'sqlite:erp.db', query, key: 'id', ...more } });
const value = (expression: string) => sql(`select :objectRef as id, ${expression} as value`);

let reader: TestReader;

beforeAll(async () => {
  const db = new Database(join(folder, 'erp.db'));
  db.exec(`
    create table invoice (id text collate nocase, total real, note text, lines integer);
    insert into invoice values ('I-1', 10.5, null, 2), ('0123', 1, 'x', 0), ('twice', 1, 'x', 0), ('twice', 2, 'x', 0);
    create table numbered (id integer primary key);
    insert into numbered values (123);
    create table line (id text, amount real);
    insert into line values ('I-1', 4.5), ('I-1', 6);
    create table many (id text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001) insert into many select 'I-1' from n;
  `);
  db.close();
  reader = await startTestReader({
    invoice: sql('select * from invoice where id = :objectRef;'),
    numbered: sql('select * from numbered where id = :objectRef'),
    lines: sql('select id, amount from line where id = :objectRef order by amount', { many: true }),
    linesOrNone: sql('select id, amount from line where id = :objectRef', { many: true, empty: true }),
    tooMany: sql('select id from many', { many: true }),
    mixed: sql("select 'I-1' as id union all select 'I-2'", { many: true }),
    other: sql("select 'I-2' as id, :objectRef as asked"),
    twoColumns: sql('select :objectRef as id, 2 as id'),
    noKey: sql('select 1 as amount'),
    writes: sql("insert into invoice (id) values ('new') returning id"),
    slow: sql('with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) as id from n'),
    broken: sql('select id from nowhere where id = :objectRef'),
    noFile: control({ sql: { url: 'sqlite:none.db', query: 'select 1 as id', key: 'id' } }),
    fifteen: value('123456789012.345'),
    sixteen: value('0.1234567890123456'),
    safe: value('9007199254740991'),
    unsafe: value('9007199254740992'),
    large: value('1e20'),
    infinite: value('9e999'),
    bytes: value("x'00'"),
    long: value("printf('%20000c', 'x')"),
    bound: {
      match: { system: 'erp' },
      bind: 'intent',
      sql: {
        url: 'sqlite:erp.db',
        query: 'select :objectRef as id, :agentValue as value, :metadata.context.po as po',
        key: 'id',
      },
    },
  });
});
afterAll(() => reader.stop());

const read = (name: string, intent: object = INTENT) => reader.ask(intent, { query: `?controls=${name}` });
const factsOf = async (name: string, intent: object = INTENT) =>
  claimsOf((await read(name, intent)).items[0]).facts;

describe('a SQLite file', () => {
  test('is read and signed for the object alone, dated before the read', async () => {
    const before = Date.now();
    const { status, items } = await read('invoice');
    expect(status).toBe(200);
    const { jti, checkedAt, ...claims } = claimsOf(items[0]);
    expect(claims).toEqual({
      aud: WORKSPACE,
      controlId: 'invoice',
      result: 'PASS',
      system: 'erp',
      objectType: 'invoice',
      objectRef: 'I-1',
      facts: { id: 'I-1', total: 10.5, lines: 2 },
    });
    expect(items).toEqual([
      {
        controlId: 'invoice',
        source: 'erp-reader',
        result: 'PASS',
        checkedAt,
        attestation: items[0]!.attestation,
      },
    ]);
    expect(Date.parse(checkedAt as string)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(checkedAt as string)).toBeLessThanOrEqual(Date.now());
    expect(jti).not.toBe(claimsOf((await read('invoice')).items[0]).jti);
  });

  test('gives several rows as a list, and none only if that is allowed', async () => {
    expect(await factsOf('lines')).toEqual({
      rows: [
        { id: 'I-1', amount: 4.5 },
        { id: 'I-1', amount: 6 },
      ],
    });
    expect((await read('lines', { ...INTENT, objectRef: 'I-9' })).status).toBe(424);
    expect(await factsOf('linesOrNone', { ...INTENT, objectRef: 'I-9' })).toEqual({ rows: [] });
  });

  test.each([
    ['there is no row', 'invoice', 'I-9'],
    ['there are two rows', 'invoice', 'twice'],
    ['the database ignores case', 'invoice', 'i-1'],
    ['the database finds a number by another text', 'numbered', '0123'],
    ['the database finds a number with a space', 'numbered', ' 123'],
    ['a record of another object comes back', 'other', 'I-1'],
    ['one row of several is about another object', 'mixed', 'I-1'],
    ['there are over 1,000 rows', 'tooMany', 'I-1'],
    ['two columns have one name', 'twoColumns', 'I-1'],
    ['the key is not there', 'noKey', 'I-1'],
    ['the statement writes', 'writes', 'I-1'],
    ['the query fails', 'broken', 'I-1'],
    ['the file does not exist', 'noFile', 'I-1'],
    ['a real has over 15 digits', 'sixteen', 'I-1'],
    ['a whole number is beyond 2^53 - 1', 'unsafe', 'I-1'],
    ['a real is a whole number beyond 2^53 - 1', 'large', 'I-1'],
    ['a number is infinite', 'infinite', 'I-1'],
    ['a value is bytes', 'bytes', 'I-1'],
    ['the facts are over 16 KiB', 'long', 'I-1'],
  ])('signs nothing if %s', async (_, name, objectRef) => {
    const { status, code, items, text } = await read(name, { ...INTENT, objectRef });
    expect([status, code, items]).toEqual([424, 'facts_unavailable', []]);
    expect(JSON.parse(text).error.message).toBe(
      `the facts of \`${name}\` could not be read; see the log of the reader`,
    );
  });

  test('finds a record by a whole number in the same spelling', async () => {
    expect(await factsOf('numbered', { ...INTENT, objectRef: '123' })).toEqual({ id: 123 });
  });

  test('keeps numbers that a double holds exactly', async () => {
    expect(await factsOf('fifteen')).toMatchObject({ value: 123456789012.345 });
    expect(await factsOf('safe')).toMatchObject({ value: Number.MAX_SAFE_INTEGER });
  });

  test('is abandoned after two seconds, even in the middle of a query, and other reads continue', async () => {
    const [late, quick] = await Promise.all([read('slow'), read('invoice')]);
    expect([late.status, quick.status]).toEqual([424, 200]);
  });

  test('signs nothing if one of several controls cannot be read', async () => {
    const { status, items, text } = await reader.ask(INTENT, { query: '?controls=invoice,broken' });
    expect([status, items]).toEqual([424, []]);
    expect(text).not.toMatch(/nowhere|sqlite|10\.5/);
  });

  test('bound to the intent, reads more of it and is signed for its digest', async () => {
    const intent = { ...INTENT, metadata: { context: { po: 7 } } };
    const claims = claimsOf((await read('bound', intent)).items[0]);
    expect(claims).toMatchObject({
      intentDigest: intentDigest(intent),
      facts: { id: 'I-1', value: '10', po: '7' },
    });
    expect(claims).not.toHaveProperty('objectRef');
    expect((await read('bound')).status).toBe(422);
    const inside = await read('bound', { ...INTENT, metadata: { context: { po: [7] } } });
    expect([inside.status, inside.text]).toEqual([422, expect.stringContaining('is a list, and only text')]);
  });
});

test('the log names control and object, but never a value', async () => {
  await read('invoice');
  await read('sixteen');
  const log = reader.lines.join('\n');
  expect(log).toContain('"control":"invoice","system":"erp","objectType":"invoice","objectRef":"I-1"');
  expect(log).not.toMatch(/10\.5|0\.1234|agentValue|from invoice|erp\.db/);
});
