/** Reads the file of `writecheck facts`, or refuses it with every error, its place and its fix. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isName, isObject, pointerTo, shown } from '@writecheck/contract';
import { parseDocument } from 'yaml';
import { Faults } from './faults.ts';
import { TOKEN_CHARACTERS_MIN } from './limits.ts';
import { type Fits, fitsOf } from './match.ts';
import { type ControlSettings, readControl } from './read-control.ts';
import { readKey, type SigningKey } from './read-key.ts';
import { readMatch } from './read-match.ts';

export interface ReaderConfig {
  /** The id of the EvidenceSource that signs. */
  readonly issuer: string;
  readonly workspace: string;
  readonly key: SigningKey;
  /** What a token may read, by the token's digest. */
  readonly tokens: ReadonlyMap<string, Fits>;
  readonly controls: readonly ControlSettings[];
  /** The environment of commands, without the key and the tokens. */
  readonly env: NodeJS.ProcessEnv;
}

export type ReadConfig =
  | { readonly kind: 'config'; readonly config: ReaderConfig }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

const MEMBERS = ['issuer', 'workspace', 'key', 'tokens', 'controls'];

export function readReaderConfig(file: string, env: NodeJS.ProcessEnv): ReadConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { kind: 'invalid', faults: [`\`${shown(file)}\` cannot be read; give the path of a file`] };
  }
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    return { kind: 'invalid', faults: document.errors.map(({ message }) => message.split('\n', 1)[0]!) };
  }
  const faults = new Faults(env);
  const config = configOf(document.toJS(), dirname(resolve(file)), env, faults);
  return config === undefined || faults.list.length > 0
    ? { kind: 'invalid', faults: faults.list }
    : { kind: 'config', config };
}

function configOf(
  value: unknown,
  folder: string,
  env: NodeJS.ProcessEnv,
  faults: Faults,
): ReaderConfig | undefined {
  const given = faults.object(value, '', MEMBERS);
  if (given === undefined) return undefined;
  const issuer = faults.text(given.issuer, '/issuer', 'the id of the EvidenceSource');
  if (issuer !== undefined && !isName(issuer)) faults.add('/issuer', 'is not the id of an EvidenceSource');
  const workspace = faults.text(given.workspace, '/workspace', 'the id of the workspace that decides');
  if (workspace !== undefined && !/^ws_\w+$/.test(workspace))
    faults.add('/workspace', 'is not the id of a workspace, which begins with ws_');
  const key = readKey(given.key, '/key', folder, faults);
  const tokens = readTokens(given.tokens, faults);
  const controls = readControls(given.controls, folder, faults);
  if (issuer === undefined || workspace === undefined || key === undefined) return undefined;
  const kept = Object.entries(env).filter(([name]) => !faults.secretNames.has(name));
  return { issuer, workspace, key, tokens, controls, env: Object.fromEntries(kept) };
}

function readTokens(value: unknown, faults: Faults): ReadonlyMap<string, Fits> {
  const tokens = new Map<string, Fits>();
  if (!Array.isArray(value) || value.length === 0) {
    faults.add('/tokens', 'must be a list of at least one {token, match}');
    return tokens;
  }
  value.forEach((entry: unknown, index) => {
    const at = `/tokens/${index}`;
    const given = faults.object(entry, at, ['token', 'match']);
    if (given === undefined) return;
    const match = readMatch(given.match, `${at}/match`, [], faults);
    const token = faults.setting(given.token, `${at}/token`, 'a secret for one caller', true);
    if (token === undefined) return;
    const digest = digestOf(token);
    if (token.length < TOKEN_CHARACTERS_MIN || !/^[!-~]+$/.test(token))
      faults.add(
        `${at}/token`,
        `must be at least ${TOKEN_CHARACTERS_MIN} visible ASCII characters; create one with \`openssl rand -hex 32\``,
      );
    else if (tokens.has(digest)) faults.add(`${at}/token`, 'is there twice; give each caller its own');
    tokens.set(digest, fitsOf(match));
  });
  return tokens;
}

/** Compared by digest, so that the time of a comparison reveals nothing about a token. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function readControls(value: unknown, folder: string, faults: Faults): readonly ControlSettings[] {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) faults.add('/controls', 'must be an object with at least one control');
  return entries.flatMap(([id, given]) => {
    const control = readControl(id, given, pointerTo('/controls', id), folder, faults);
    return control === undefined ? [] : [control];
  });
}
