/** The accepted forms of a file of changes, and the errors for an unreadable one. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesFrom } from '../../test/export-kit.ts';
import type { Change, UnreadableLine } from './change.ts';
import { readColumns } from './columns.ts';
import { RECORD_BYTES_MAX } from './raw-lines.ts';
import { readChanges } from './read-changes.ts';

const HEADER = 'time,objectType,objectRef,field,newValue,actor';
const TIME = '2026-11-15T21:00:02Z';
const ROW = `${TIME},vendor,V-1,terms,NET30,svc-ap`;

async function read(
  text: string | Buffer,
  columns?: string,
  chunkBytes = 5,
): Promise<readonly (Change | UnreadableLine)[]> {
  const all: (Change | UnreadableLine)[] = [];
  for await (const one of readChanges(bytesFrom(text, chunkBytes), await mapped(columns), 'the file'))
    all.push(one);
  return all;
}

async function mapped(columns: string | undefined) {
  if (columns === undefined) return readColumns(undefined);
  const file = join(mkdtempSync(join(tmpdir(), 'writecheck-columns-')), 'map.yaml');
  writeFileSync(file, columns);
  return readColumns(file);
}

/** Lines and values, or lines and messages. */
function brief(all: readonly (Change | UnreadableLine)[]): readonly (readonly [number, string])[] {
  return all.map((one) => [one.line, one.kind === 'change' ? one.newValue : `! ${one.message}`]);
}

const CHANGE = {
  kind: 'change',
  line: 2,
  at: { ms: Date.parse(TIME), beyondMs: 0 },
  objectType: 'vendor',
  objectRef: 'V-1',
  field: 'terms',
  newValue: 'NET30',
  actor: 'svc-ap',
  operation: '',
};

test.each([
  ['CRLF', `${HEADER}\r\n${ROW}\r\n`],
  ['LF', `${HEADER}\n${ROW}\n`],
  ['no last line break', `${HEADER}\r\n${ROW}`],
  ['a byte order mark', `\ufeff${HEADER}\r\n${ROW}\r\n`],
  ['quoted cells', `"time",${HEADER.slice(5)}\n"${TIME}","vendor",V-1,"terms","NET30","svc-ap"\r\n`],
  [
    'columns in another order, and more of them',
    `x,actor,newValue,field,objectRef,objectType,time,x\n,svc-ap,NET30,terms,V-1,vendor,${TIME},y`,
  ],
])('CSV with %s is read', async (_what, text) => {
  for (const chunkBytes of [1, 3, 1_000]) expect(await read(text, undefined, chunkBytes)).toEqual([CHANGE]);
});

test('quoted cells hold commas, doubled quotes and line breaks exactly as written', async () => {
  const row = (value: string) => `${TIME},vendor,V-1,terms,${value},svc`;
  const values = ['"a,b"', '"say ""hi"""', '"a\r\nb"', '"a\nb\n"', '""', ''];
  const all = await read([HEADER, ...values.map(row)].join('\r\n'));
  expect(brief(all)).toEqual([
    [2, 'a,b'],
    [3, 'say "hi"'],
    [4, 'a\r\nb'],
    [6, 'a\nb\n'],
    [9, ''],
    [10, ''],
  ]);
});

test('an unreadable CSV line is reported, and reading continues', async () => {
  const text = [
    HEADER,
    ROW,
    `${TIME},vendor,V-1,terms,NET30`,
    `${ROW},more`,
    `${TIME},vendor,V-1,terms,NET"30,svc`,
    `${TIME},vendor,V-1,terms,"NET"30,svc`,
    `2026-11-15T21:00:02,vendor,V-1,terms,NET30,svc`,
    `2026-02-30T21:00:02Z,vendor,V-1,terms,NET30,svc`,
    `${TIME},vendor,V-1,terms,"never closed,svc`,
    '',
    ROW,
  ].join('\n');
  expect(brief(await read(text))).toEqual([
    [2, 'NET30'],
    [3, '! the line has 5 columns instead of 6'],
    [4, '! the line has 7 columns instead of 6'],
    [5, '! a cell with a quote in it must be quoted as a whole'],
    [6, '! a quote inside a quoted cell must be doubled'],
    [7, '! `time` has no offset'],
    [8, '! `time` is not an RFC 3339 date-time'],
    [9, '! a quoted cell is never closed'],
    [11, 'NET30'],
  ]);
});

test('bytes that are not UTF-8 only spoil their own line', async () => {
  const bad = Buffer.concat([
    Buffer.from(`${TIME},vendor,V-1,terms,caf`),
    Buffer.of(0xe9),
    Buffer.from(',svc\n'),
  ]);
  const csv = Buffer.concat([Buffer.from(`${HEADER}\n`), bad, Buffer.from(`${ROW}\n`)]);
  expect(brief(await read(csv))).toEqual([
    [2, '! the line is not valid UTF-8'],
    [3, 'NET30'],
  ]);
  const object = JSON.stringify({ time: TIME, objectType: 'v', objectRef: 'r', field: 'f', newValue: 'x' });
  const json = Buffer.concat([
    Buffer.from(object.replace('"x"', '"')),
    Buffer.of(0xff),
    Buffer.from(`"}\n${object}\n`),
  ]);
  expect(brief(await read(json))).toEqual([
    [1, '! the line is not valid UTF-8'],
    [2, 'x'],
  ]);
});

test('a line that is too long is skipped without being stored', async () => {
  const long = `${TIME},vendor,V-1,terms,${'x'.repeat(RECORD_BYTES_MAX)},svc`;
  expect(brief(await read(`${HEADER}\n${long}\n${ROW}\n`, undefined, 65_536))).toEqual([
    [2, '! the line is too long'],
    [3, 'NET30'],
  ]);
  // Lines of 64 bytes: each of them is reported once the cell is abandoned.
  const lines = `${'x'.repeat(63)}\n`.repeat(RECORD_BYTES_MAX / 32);
  const open = `${TIME},vendor,V-1,terms,"${lines}`;
  const all = await read(`${HEADER}\n${open}${ROW}\n`, undefined, 65_536);
  expect(all[0]).toMatchObject({ line: 2, message: 'a quoted cell is never closed, or is too long' });
  expect(all.at(-1)).toMatchObject({ kind: 'change', newValue: 'NET30' });
});

test('a file with unknown columns is refused as a whole', async () => {
  const refusals = [
    ['', /is empty/],
    ['\n\n', /is empty/],
    ['"time,objectType\n', /line 1 must name the columns: a quoted cell is never closed/],
    [Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), /not valid UTF-8/],
    [
      'time,objectType,objectRef,field\n',
      /has no column `newValue`: its first line must name the columns; if it does, say in --columns/,
    ],
    [`${HEADER.replaceAll(',', ';')}\n`, /must separate its columns with commas/],
    [`${HEADER},time\n`, /names the column `time` twice/],
    [' {"time": 1}', /line 1 must name the columns/],
  ] as const;
  for (const [text, message] of refusals) {
    const refused = read(text as string);
    await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  }
});

const OBJECT = { time: TIME, objectType: 'vendor', objectRef: 'V-1', field: 'terms', newValue: 'NET30' };

test('NDJSON is read; a number or boolean counts as its text, null as empty', async () => {
  const values = ['"NET30"', '1.10', '1e2', '12345678901234567890', '-0', 'true', 'null', '"\\u00e9\\n"'];
  const lines = values.map((value) => JSON.stringify(OBJECT).replace('"NET30"', value));
  expect(brief(await read(`${lines.join('\r\n')}\n\n`)).map(([, value]) => value)).toEqual([
    ...['NET30', '1.10', '1e2', '12345678901234567890', '-0', 'true', '', '\u00e9\n'],
  ]);
  expect(await read(`\ufeff${JSON.stringify({ ...OBJECT, actor: 7, more: { deep: [1, '}'] } })}`)).toEqual([
    { ...CHANGE, line: 1, actor: '7' },
  ]);
});

test('an unreadable NDJSON line is reported, and reading continues', async () => {
  const { newValue: _left, ...without } = OBJECT;
  const whole = JSON.stringify(OBJECT);
  const lines = [
    whole,
    whole.slice(0, -1),
    JSON.stringify(without),
    JSON.stringify({ ...OBJECT, newValue: ['x'] }),
    whole.replace('}', ',"newValue":"NET60"}'),
    whole.replace('}', ',"new\\u0056alue":"NET60"}'),
    whole.replace('NET30', '\\ud800'),
    `${whole} x`,
    '[]',
    JSON.stringify({ ...OBJECT, time: 1_794_776_402 }),
    whole.replace('"NET30"', '01'),
    whole,
  ];
  expect(brief(await read(lines.join('\n')))).toEqual([
    [1, 'NET30'],
    [2, '! the line is not a JSON object'],
    [3, '! `newValue` is missing'],
    [4, '! `newValue` must be text'],
    [5, '! the member `newValue` occurs twice'],
    [6, '! the member `newValue` occurs twice'],
    [7, '! the line is not a JSON object'],
    [8, '! the line is not a JSON object'],
    [9, '! the line is not a JSON object'],
    [10, '! `time` is not an RFC 3339 date-time'],
    [11, '! the line is not a JSON object'],
    [12, 'NET30'],
  ]);
});

test('--columns names the columns of the file, or a constant value', async () => {
  const map = 'time: CHANGED_AT\nobjectRef: "NO."\nobjectType: {value: vendor}\nactor: {value: svc-ap}\n';
  expect(await read(`NO.,CHANGED_AT,field,newValue\nV-1,${TIME},terms,NET30`, map)).toEqual([CHANGE]);
  const line = JSON.stringify({ 'NO.': 'V-1', CHANGED_AT: TIME, field: 'terms', newValue: 'NET30' });
  expect(await read(line, map)).toEqual([{ ...CHANGE, line: 1 }]);
  // Only a member of the object itself counts.
  const inherited = { ...OBJECT, objectRef: undefined };
  expect(brief(await read(JSON.stringify(inherited), 'objectRef: constructor'))).toEqual([
    [1, '! `objectRef` is missing'],
  ]);
});

test.each([
  ['value: NEW', /names `value`; only time/],
  ['time: 5', /`time` must be the name of a column/],
  ['time: {value: 5}', /`time` must be/],
  ['time: {value: x, also: y}', /`time` must be/],
  ['time: null', /`time` must be/],
  ['- time', /must contain a mapping/],
  ['time: A\ntime: B', /not valid YAML/],
  ['"\\e[2J": x', /names `\\u\{1b\}\[2J`/],
])('--columns with %s is a wrong argument', async (columns, message) => {
  const refused = read(`${HEADER}\n`, columns);
  await expect(refused).rejects.toMatchObject({ exitCode: 1, message: expect.stringMatching(message) });
});

test('a column `operation` counts only if --columns names it', async () => {
  const header = 'time,operation,objectRef,newValue';
  await expect(read(`${header}\n${TIME},refund.create,O-1,99`)).rejects.toThrow('has no column `objectType`');
  const [operation, field] = await read(
    `${header}\n${TIME},refund.create,O-1,99\n${TIME},,V-1,NET30`,
    'operation: operation',
  );
  const left = { objectType: '', field: '', actor: '' };
  expect(operation).toMatchObject({ operation: 'refund.create', objectRef: 'O-1', newValue: '99', ...left });
  expect(field).toMatchObject({ kind: 'unreadable', message: '`objectType` is missing' });
  const wide = `${HEADER},operation\n${ROW},UPDATE`;
  expect(await read(wide)).toEqual([CHANGE]);
  const line = JSON.stringify({ time: TIME, objectRef: 'O-1' });
  expect(await read(line, 'operation: {value: refund.create}')).toMatchObject([
    { operation: 'refund.create', objectRef: 'O-1', newValue: '' },
  ]);
});
