/** Reads the file of `writecheck facts`, or refuses it with every error and its place. */
import { createHash, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { PrivateJwk } from '@writecheck/client/evidence';
import { given, isName, isObject, pointerTo, shown, type WriteIntent } from '@writecheck/contract';
import { compileMatch, MATCH_MEMBERS, type Match } from '@writecheck/engine';
import { readDatabaseUrl } from '@writecheck/store/database-url';
import { parseDocument } from 'yaml';
import { type HttpSource, isPointer, readAddress } from './http.ts';
import { type Bind, nameFault, type Signer } from './sign.ts';
import { type Database, readStatement, type SqlSource } from './sql.ts';

export type Fits = (intent: WriteIntent) => boolean;

export interface Control {
  readonly id: string;
  readonly fits: Fits;
  readonly bind: Bind;
  readonly source: ({ readonly kind: 'sql' } & SqlSource) | ({ readonly kind: 'http' } & HttpSource);
}

export interface ReaderConfig extends Signer {
  /** What a token may read, by the token's digest. */
  readonly tokens: ReadonlyMap<string, Fits>;
  readonly controls: readonly Control[];
}

export type ReadConfig =
  | { readonly kind: 'config'; readonly config: ReaderConfig }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

const TOKEN_CHARACTERS_MIN = 32;
/** Allows what a condition can name: `facts.ID.PATH`. */
const CONTROL_ID = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
const SQLITE = 'sqlite:';
const NEW_KEY = 'create one with `writecheck evidence key`';

export function readReaderConfig(file: string, env: NodeJS.ProcessEnv): ReadConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { kind: 'invalid', faults: [`\`${shown(file)}\` cannot be read; give the path of a file`] };
  }
  const document = parseDocument(text);
  if (document.errors.length > 0)
    return { kind: 'invalid', faults: document.errors.map(({ message }) => message.split('\n', 1)[0]!) };
  const reading = new Reading(env, dirname(resolve(file)));
  const config = reading.config(document.toJS());
  return config === undefined || reading.faults.length > 0
    ? { kind: 'invalid', faults: reading.faults }
    : { kind: 'config', config };
}

/** Compared by digest, so that the time of a comparison reveals nothing about a token. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** INVARIANT: no message repeats a key, a token or a variable's value. */
class Reading {
  readonly faults: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv, folder: string) {
    this.#env = env;
    this.#folder = folder;
  }

  config(value: unknown): ReaderConfig | undefined {
    const file = this.#object(value, '', ['issuer', 'workspace', 'key', 'tokens', 'controls']);
    if (file === undefined) return undefined;
    const issuer = this.#text(file.issuer, '/issuer');
    if (issuer !== undefined && !isName(issuer)) this.#add('/issuer', 'is not the id of an EvidenceSource');
    const workspace = this.#text(file.workspace, '/workspace');
    if (workspace !== undefined && !/^ws_\w+$/.test(workspace))
      this.#add('/workspace', 'is not the id of a workspace, which begins with ws_');
    const key = this.#key(file.key);
    const tokens = this.#tokens(file.tokens);
    const controls = this.#controls(file.controls);
    if (issuer === undefined || workspace === undefined || key === undefined) return undefined;
    return { issuer, workspace, key, tokens, controls };
  }

  #add(at: string, message: string): undefined {
    this.faults.push(`${at === '' ? 'the file' : at}: ${message}`);
  }

  /** An object with no other members than these. */
  #object(
    value: unknown,
    at: string,
    known: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (!isObject(value)) return this.#add(at, `must be an object with ${known.join(', ')}`);
    for (const member of Object.keys(value)) {
      if (!known.includes(member))
        this.#add(pointerTo(at, member), `is unknown; remove it, or use one of ${known.join(', ')}`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  #text(value: unknown, at: string): string | undefined {
    if (typeof value === 'string' && value !== '') return value;
    return this.#add(at, value === undefined ? 'is missing' : 'must be text');
  }

  /** A text, or `env:NAME` for a variable of the environment. */
  #setting(value: unknown, at: string): string | undefined {
    const text = this.#text(value, at);
    return text?.startsWith('env:') ? this.#variable(text.slice('env:'.length), at) : text;
  }

  #variable(name: string, at: string): string | undefined {
    const value = this.#env[name];
    if (value !== undefined && value !== '') return value;
    return this.#add(at, `the environment has no \`${shown(name)}\`; set it before the reader starts`);
  }

  #key(value: unknown): Signer['key'] | undefined {
    const from = this.#object(value, '/key', ['file', 'env']);
    if (from === undefined) return undefined;
    if ((from.file === undefined) === (from.env === undefined))
      return this.#add('/key', 'must have either `file` or `env`');
    const at = from.file === undefined ? '/key/env' : '/key/file';
    const name = this.#text(from.file ?? from.env, at);
    if (name === undefined) return undefined;
    if (from.file === undefined) {
      const text = this.#variable(name, at);
      return text === undefined ? undefined : this.#keyOf(text);
    }
    try {
      return this.#keyOf(readFileSync(resolve(this.#folder, name), 'utf8'));
    } catch {
      return this.#add(at, `\`${shown(name)}\` cannot be read; ${NEW_KEY}`);
    }
  }

  #keyOf(text: string): Signer['key'] | undefined {
    let jwk: (PrivateJwk & { readonly kid?: unknown }) | null = null;
    try {
      jwk = JSON.parse(text);
    } catch {
      // The message might repeat a part of the key.
    }
    if (typeof jwk !== 'object' || jwk === null || typeof jwk.kty !== 'string')
      return this.#add('/key', `is not a JWK; ${NEW_KEY}`);
    if (typeof jwk.d !== 'string')
      return this.#add('/key', `is the public half of a key; give the private one, or ${NEW_KEY}`);
    const { kty, crv, x, y, d, kid } = jwk;
    if (typeof kid !== 'string' || kid === '')
      return this.#add('/key', 'has no `kid`; add the one that the EvidenceSource lists');
    try {
      const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
      if (key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
        return { jwk: { kty, crv, x, d, ...given({ y }) }, kid };
    } catch {
      // Its members do not form a key.
    }
    return this.#add('/key', `is not a private key of Ed25519 or P-256; ${NEW_KEY}`);
  }

  #tokens(value: unknown): ReadonlyMap<string, Fits> {
    const tokens = new Map<string, Fits>();
    if (!Array.isArray(value) || value.length === 0)
      this.#add('/tokens', 'must be a list of at least one {token, match}');
    else for (const [index, entry] of value.entries()) this.#token(entry, `/tokens/${index}`, tokens);
    return tokens;
  }

  #token(value: unknown, at: string, tokens: Map<string, Fits>): void {
    const entry = this.#object(value, at, ['token', 'match']);
    if (entry === undefined) return;
    const fits = this.#fits(entry.match, `${at}/match`, []);
    const token = this.#setting(entry.token, `${at}/token`);
    if (token === undefined) return;
    const digest = digestOf(token);
    if (token.length < TOKEN_CHARACTERS_MIN || !/^[!-~]+$/.test(token))
      this.#add(
        `${at}/token`,
        `must be at least ${TOKEN_CHARACTERS_MIN} visible ASCII characters; create one with \`openssl rand -hex 32\``,
      );
    else if (tokens.has(digest)) this.#add(`${at}/token`, 'is there twice; give each caller its own');
    tokens.set(digest, fits);
  }

  /** `named` must be present, and more specific than `*`. */
  #fits(value: unknown, at: string, named: readonly (keyof Match)[]): Fits {
    const before = this.faults.length;
    const match = this.#object(value, at, MATCH_MEMBERS) ?? {};
    if (Object.keys(match).length === 0 && this.faults.length === before)
      this.#add(at, `must name at least one of ${MATCH_MEMBERS.join(', ')}`);
    for (const member of MATCH_MEMBERS) {
      const pattern = match[member];
      const place = `${at}/${member}`;
      if (pattern === undefined) {
        if (named.includes(member) && isObject(value))
          this.#add(place, 'is missing; `bind: object` needs it');
      } else if (!isPattern(pattern)) this.#add(place, 'must be a name, a glob with `*`, or a list of these');
      else if (named.includes(member) && [pattern].flat().some((one) => /^\*+$/.test(one)))
        this.#add(place, 'matches everything; `bind: object` needs the objects that the query reads');
    }
    // The file is refused with all of its errors.
    if (this.faults.length > before) return () => false;
    const fits = compileMatch(match as Match);
    // In a policy, omitting a member must not escape a rule; here it must not reach a record.
    const members = Object.keys(match) as (keyof Match)[];
    return (intent) => members.every((member) => typeof intent[member] === 'string') && fits(intent);
  }

  #controls(value: unknown): readonly Control[] {
    const entries = isObject(value) ? Object.entries(value) : [];
    if (entries.length === 0) this.#add('/controls', 'must be an object with at least one control');
    return entries.flatMap(([id, entry]) => this.#control(id, entry, pointerTo('/controls', id)) ?? []);
  }

  #control(id: string, value: unknown, at: string): Control | undefined {
    if (!CONTROL_ID.test(id))
      this.#add(at, 'is not the name of a control that conditions can read; use letters, digits and _');
    const entry = this.#object(value, at, ['match', 'bind', 'sql', 'http']);
    if (entry === undefined) return undefined;
    const { bind = 'intent', sql, http } = entry;
    if (bind !== 'intent' && bind !== 'object')
      return this.#add(`${at}/bind`, 'must be `object` or `intent`');
    const fits = this.#fits(entry.match, `${at}/match`, bind === 'object' ? ['system', 'objectType'] : []);
    if ((sql === undefined) === (http === undefined))
      return this.#add(at, 'must have exactly one of sql, http');
    const source =
      sql === undefined ? this.#http(http, `${at}/http`, bind) : this.#sql(sql, `${at}/sql`, bind);
    return source === undefined ? undefined : { id, fits, bind, source };
  }

  #sql(value: unknown, at: string, bind: Bind): Control['source'] | undefined {
    const sql = this.#object(value, at, ['url', 'query', 'key', 'many', 'empty']);
    if (sql === undefined) return undefined;
    const url = this.#setting(sql.url, `${at}/url`);
    const query = this.#text(sql.query, `${at}/query`);
    const key = this.#text(sql.key, `${at}/key`);
    const { many = false, empty = false } = sql;
    for (const [name, flag] of Object.entries({ many, empty }))
      if (typeof flag !== 'boolean') this.#add(`${at}/${name}`, 'must be true or false');
    const database = url === undefined ? undefined : this.#database(url, `${at}/url`);
    if (query === undefined || key === undefined) return undefined;
    const statement = readStatement(query);
    if ('fault' in statement) return this.#add(`${at}/query`, statement.fault);
    this.#names(statement.names, bind, `${at}/query`);
    if (empty === true && many !== true) this.#add(`${at}/empty`, 'needs `many: true`');
    // The key of a row shows which object it is about; if there is no row, only the query does.
    if (empty === true && !statement.names.includes('objectRef'))
      this.#add(`${at}/query`, 'must use :objectRef, because `empty: true` also accepts no rows');
    if (database === undefined) return undefined;
    return { kind: 'sql', database, statement, key, many: many === true, empty: empty === true };
  }

  #database(url: string, at: string): Database | undefined {
    if (url.startsWith(SQLITE)) {
      const path = url.slice(SQLITE.length);
      if (path !== '') return { kind: 'sqlite', file: resolve(this.#folder, path) };
      return this.#add(at, 'names no file; write sqlite:PATH');
    }
    const read = readDatabaseUrl(url);
    if ('fault' in read) return this.#add(at, `${read.fault}, or sqlite:PATH`);
    const [host, ...more] = read.hosts;
    if (host === undefined || more.length > 0) return this.#add(at, 'must name one host');
    return { kind: 'postgres', url, host };
  }

  #http(value: unknown, at: string, bind: Bind): Control['source'] | undefined {
    const http = this.#object(value, at, ['url', 'headers', 'pick', 'key']);
    if (http === undefined) return undefined;
    const url = this.#setting(http.url, `${at}/url`);
    const headers = this.#headers(http.headers ?? {}, `${at}/headers`);
    const pick = http.pick === undefined ? '' : this.#pointer(http.pick, `${at}/pick`);
    const key = this.#pointer(http.key, `${at}/key`);
    if (url === undefined || pick === undefined || key === undefined) return undefined;
    const address = readAddress(url);
    if ('fault' in address) return this.#add(`${at}/url`, address.fault);
    this.#names(address.names, bind, `${at}/url`);
    return { kind: 'http', address, headers, pick, key };
  }

  #headers(value: unknown, at: string): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    if (!isObject(value)) this.#add(at, 'must be an object of headers by name');
    else
      for (const [name, entry] of Object.entries(value)) {
        const text = this.#setting(entry, `${at}/${name}`);
        if (text === undefined) continue;
        try {
          new Headers([[name, text]]);
          headers[name] = text;
        } catch {
          this.#add(`${at}/${name}`, 'cannot be sent as a header; check its characters');
        }
      }
    return headers;
  }

  #pointer(value: unknown, at: string): string | undefined {
    const text = this.#text(value, at);
    if (text === undefined || isPointer(text)) return text;
    return this.#add(at, 'must be a JSON pointer such as /id');
  }

  #names(names: readonly string[], bind: Bind, at: string): void {
    for (const name of new Set(names)) {
      const fault = nameFault(name, bind);
      if (fault !== null) this.#add(at, fault);
    }
  }
}

function isPattern(value: unknown): value is string | readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((one) => typeof one === 'string' && one !== '');
}
