/** Reads one control of the configuration: what it matches, what it is bound to, and its source. */
import { resolve } from 'node:path';
import { readDatabaseUrl } from '@writecheck/store/database-url';
import { readAddress } from './address.ts';
import type { CommandSettings } from './command-source.ts';
import type { Faults, Members } from './faults.ts';
import type { HttpSettings } from './http-source.ts';
import { isPointer } from './json-record.ts';
import { type Fits, fitsOf } from './match.ts';
import { readMatch } from './read-match.ts';
import { type Bind, nameFault } from './seen-intent.ts';
import type { SqlSettings } from './sql-source.ts';
import { readStatement } from './sql-statement.ts';

export interface ControlSettings {
  readonly id: string;
  readonly fits: Fits;
  readonly bind: Bind;
  readonly source:
    | { readonly kind: 'sql'; readonly settings: SqlSettings }
    | { readonly kind: 'http'; readonly settings: HttpSettings }
    | { readonly kind: 'command'; readonly settings: Omit<CommandSettings, 'env'> };
}

type SourceSettings = ControlSettings['source'];

/** Allows what a condition can name: `facts.ID.PATH`. */
const CONTROL_ID = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
const SOURCES = ['sql', 'http', 'command'] as const;
const SCHEME = 'sqlite:';

export function readControl(
  id: string,
  value: unknown,
  at: string,
  folder: string,
  faults: Faults,
): ControlSettings | undefined {
  if (!CONTROL_ID.test(id))
    faults.add(at, 'is not the name of a control that conditions can read; use letters, digits and _');
  const isCommand = typeof value === 'object' && value !== null && 'command' in value;
  const known = ['match', 'bind', ...SOURCES, ...(isCommand ? ['key'] : [])];
  const given = faults.object(value, at, known);
  if (given === undefined) return undefined;
  const { bind = 'intent' } = given;
  if (bind !== 'intent' && bind !== 'object') {
    return faults.add(`${at}/bind`, 'must be `object` or `intent`');
  }
  const match = readMatch(
    given.match,
    `${at}/match`,
    bind === 'object' ? ['system', 'objectType'] : [],
    faults,
  );
  const source = readSource(given, { at, bind, folder, faults });
  return source === undefined ? undefined : { id, fits: fitsOf(match), bind, source };
}

interface Place {
  readonly at: string;
  readonly bind: Bind;
  readonly folder: string;
  readonly faults: Faults;
}

function readSource(given: Members, place: Place): SourceSettings | undefined {
  const { at, folder, faults } = place;
  const kinds = SOURCES.filter((kind) => given[kind] !== undefined);
  if (kinds.length !== 1) return faults.add(at, `must have exactly one of ${SOURCES.join(', ')}`);
  if (kinds[0] === 'sql') return readSql(given.sql, { ...place, at: `${at}/sql` });
  if (kinds[0] === 'http') return readHttp(given.http, { ...place, at: `${at}/http` });
  const key = readPointer(given.key, `${at}/key`, faults);
  const argv = given.command;
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((word) => typeof word === 'string'))
    return faults.add(`${at}/command`, 'must be a list of words: the program and its arguments');
  return key === undefined ? undefined : { kind: 'command', settings: { argv, folder, key } };
}

function readSql(value: unknown, { at, bind, folder, faults }: Place): SourceSettings | undefined {
  const given = faults.object(value, at, ['url', 'query', 'key', 'many', 'empty']);
  if (given === undefined) return undefined;
  const url = faults.setting(given.url, `${at}/url`, 'the address of the database');
  const query = faults.text(given.query, `${at}/query`, 'one statement with parameters such as :objectRef');
  const key = faults.text(given.key, `${at}/key`, 'the column that holds the objectRef');
  const many = faults.flag(given.many, `${at}/many`);
  const empty = faults.flag(given.empty, `${at}/empty`);
  const database = url === undefined ? undefined : readDatabase(url, `${at}/url`, folder, faults);
  if (query === undefined || key === undefined) return undefined;
  const statement = readStatement(query);
  if ('fault' in statement) return faults.add(`${at}/query`, statement.fault);
  checkNames(statement.names, bind, `${at}/query`, faults);
  if (empty && !many) faults.add(`${at}/empty`, 'needs `many: true`');
  // The key of a row shows which object it is about; if there is no row, only the query does.
  if (empty && !statement.names.includes('objectRef'))
    faults.add(`${at}/query`, 'must use :objectRef, because `empty: true` also accepts no rows');
  return database === undefined
    ? undefined
    : { kind: 'sql', settings: { database, statement, key, many, empty } };
}

function readDatabase(
  url: string,
  at: string,
  folder: string,
  faults: Faults,
): SqlSettings['database'] | undefined {
  if (url.startsWith(SCHEME)) {
    const path = url.slice(SCHEME.length);
    return path === ''
      ? faults.add(at, 'names no file; write sqlite:PATH')
      : { kind: 'sqlite', file: resolve(folder, path) };
  }
  const read = readDatabaseUrl(url);
  if ('fault' in read) return faults.add(at, `${read.fault}, or sqlite:PATH`);
  const [host, ...more] = read.hosts;
  if (host === undefined || more.length > 0) return faults.add(at, 'must name one host');
  return { kind: 'postgres', url, host };
}

function readHttp(value: unknown, { at, bind, faults }: Place): SourceSettings | undefined {
  const given = faults.object(value, at, ['url', 'headers', 'pick', 'key']);
  if (given === undefined) return undefined;
  const url = faults.setting(given.url, `${at}/url`, 'an address such as https://host/records/{objectRef}');
  const headers = readHeaders(given.headers ?? {}, `${at}/headers`, faults);
  const pick = given.pick === undefined ? '' : readPointer(given.pick, `${at}/pick`, faults);
  const key = readPointer(given.key, `${at}/key`, faults);
  if (url === undefined || pick === undefined || key === undefined) return undefined;
  const address = readAddress(url);
  if ('fault' in address) return faults.add(`${at}/url`, address.fault);
  checkNames(address.names, bind, `${at}/url`, faults);
  return { kind: 'http', settings: { address, headers, pick, key } };
}

function readHeaders(value: unknown, at: string, faults: Faults): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.add(at, 'must be an object of headers by name');
    return {};
  }
  const headers: Record<string, string> = {};
  for (const [name, given] of Object.entries(value)) {
    const text = faults.setting(given, `${at}/${name}`, 'the value of the header');
    if (text === undefined) continue;
    try {
      new Headers([[name, text]]);
      headers[name] = text;
    } catch {
      faults.add(`${at}/${name}`, 'cannot be sent as a header; check its characters');
    }
  }
  return headers;
}

function readPointer(value: unknown, at: string, faults: Faults): string | undefined {
  const text = faults.text(value, at, 'a JSON pointer such as /id');
  if (text === undefined || isPointer(text)) return text;
  return faults.add(at, 'must be a JSON pointer such as /id');
}

function checkNames(names: readonly string[], bind: Bind, at: string, faults: Faults): void {
  for (const name of new Set(names)) {
    const fault = nameFault(name, bind);
    if (fault !== null) faults.add(at, fault);
  }
}
