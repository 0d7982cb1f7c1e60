/** A reader for tests, with its own key, token and log, and functions to read the items it signs. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvidenceItem } from '@writecheck/contract';
import { readReaderConfig } from '../src/config.ts';
import { type RunningReader, startReader } from '../src/serve.ts';

export const TOKEN = 'a-token-of-the-agent-with-32-characters-or-more';
export const WORKSPACE = `ws_${'0'.repeat(32)}`;
export const folder = mkdtempSync(join(tmpdir(), 'writecheck-facts-'));

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
export const KEY = { ...privateKey.export({ format: 'jwk' }), kid: 'k1' };
writeFileSync(join(folder, 'erp.jwk'), JSON.stringify(KEY));

export const INTENT = {
  system: 'erp',
  objectType: 'invoice',
  objectRef: 'I-1',
  field: 'amount',
  agentValue: '10',
};

/** A control over `invoice`, bound to the object. */
export function control(source: object): object {
  return { match: { system: 'erp', objectType: 'invoice' }, bind: 'object', ...source };
}

export function configFile(controls: object, more: object = {}): string {
  const config = {
    issuer: 'erp-reader',
    workspace: WORKSPACE,
    key: { file: 'erp.jwk' },
    tokens: [{ token: 'env:AGENT_TOKEN', match: { system: 'erp' } }],
    controls,
    ...more,
  };
  const file = join(folder, `facts-${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(file, JSON.stringify(config));
  return file;
}

export interface TestReader extends RunningReader {
  readonly lines: readonly string[];
  ask(intent: object, options?: AskOptions): Promise<Reply>;
}

export interface AskOptions {
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly items: readonly EvidenceItem[];
  readonly code: string | undefined;
}

export async function startTestReader(controls: object, more: object = {}): Promise<TestReader> {
  const read = readReaderConfig(configFile(controls, more), { PATH: process.env.PATH, AGENT_TOKEN: TOKEN });
  if (read.kind === 'invalid') throw new Error(read.faults.join('\n'));
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log = { info: write, warn: write, error: write };
  const reader = await startReader({ config: read.config, host: '127.0.0.1', port: 0, log });
  return { ...reader, lines, ask: (intent, options) => ask(reader.url, intent, options) };
}

async function ask(
  url: string,
  intent: object,
  { query = '', headers = {} }: AskOptions = {},
): Promise<Reply> {
  const response = await fetch(`${url}/facts${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(intent),
  });
  const text = await response.text();
  const { controlEvidence = [], error } = JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    items: controlEvidence,
    code: error?.code,
  };
}

/** The claims of an item with a valid signature. */
export function claimsOf(item: EvidenceItem | undefined): Record<string, unknown> {
  const [header = '', payload = '', signature = ''] = (item?.attestation ?? '').split('.');
  const isSigned = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the signature does not hold');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}
