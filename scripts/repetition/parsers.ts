/** Every input parser that can be called without a service. */
import {
  canonicalJson,
  intentFromValue,
  parseBatch,
  parseInstant,
  parseIntent,
  parseStrictJson,
} from '@writecheck/contract';
import { compile } from '@writecheck/engine';
import {
  decodeBase64,
  openCheckpoint,
  parseEntry,
  parseExportLine,
  parseLeaf,
  parseNote,
  parseReceipt,
  parseVerifierKeys,
  verifyReceipt,
} from '@writecheck/ledger';
import { prefersReceipt } from '@writecheck/service/check/receipts';
import { HeadReader } from '@writecheck/service/edge/connection/plain-request';
import { isKnownHost } from '@writecheck/service/exchange/known-host';
import { requestContext } from '@writecheck/service/exchange/request-context';
import { credentialOf } from '@writecheck/service/features/keys/authenticate';
import { clientAddress, limitSubject } from '@writecheck/service/support/client-address';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import { SETTINGS } from '@writecheck/service/support/config/settings';
import { redact } from '@writecheck/service/support/observability/redact';
import { readMapping } from '../../packages/adapters/src/mapping/read-mapping.ts';
import { renderIntent } from '../../packages/adapters/src/mapping/render-intent.ts';
import { hasDuplicateMembers } from '../../packages/client/src/duplicate-members.ts';
import { highlightYaml } from '../../packages/console/src/pages/policies/highlight-yaml.ts';
import { compileCondition } from '../../packages/engine/src/conditions/condition.ts';
import { scan } from '../../packages/engine/src/conditions/scan.ts';
import { durationFromText } from '../../packages/engine/src/conditions/values.ts';
import { parseAttestation } from '../../packages/engine/src/evidence/parse-attestation.ts';
import { quote } from '../../packages/engine/src/explain.ts';
import { didYouMean } from '../../packages/engine/src/policy/faults.ts';
import { compilePattern } from '../../packages/engine/src/policy/match.ts';
import { parsePolicyYaml } from '../../packages/engine/src/policy-yaml/parse-policy-yaml.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const jsonOf = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value));
const INTENT = { system: 's', objectType: 'o', objectRef: 'r', field: 'f', agentValue: 'a' };
const profile = (members: object): unknown => ({ kind: 'Profile', id: 'p', version: '1', ...members });
const RECEIPT = {
  version: 'writecheck.receipt.v1',
  leaf: '',
  index: 0,
  treeSize: 1,
  proof: [],
  checkpoint: '',
};
const TRUSTED = { trusts: () => true };
const TEXTS = ['system', 'objectRef', 'agentValue', 'workflowId', 'schemaVersion', 'metadata'];
const HEADERS = ['Content-Type', 'Idempotency-Key', 'Prefer', 'traceparent', 'Connection'];

type Parsers = { readonly [name: string]: (text: string) => unknown };

export const PARSERS: Parsers = {
  redact,
  'redact in a log line': (text) => redact(JSON.stringify({ msg: text })),
  'strict JSON': (text) => parseStrictJson(bytesOf(text)),
  'strict JSON, a string': (text) => parseStrictJson(jsonOf(text)),
  'strict JSON, a name': (text) => parseStrictJson(jsonOf({ [text]: { [text]: 1 } })),
  'strict JSON, a string followed by an error': (text) =>
    parseStrictJson(bytesOf(`${JSON.stringify([text])}x`)),
  'an intent': (text) => parseIntent(bytesOf(text)),
  'an intent as a value': (text) => intentFromValue({ ...INTENT, [text]: text }),
  ...Object.fromEntries(
    TEXTS.map((name) => [
      `an intent, ${name}`,
      (text: string) => parseIntent(jsonOf({ ...INTENT, [name]: text })),
    ]),
  ),
  'an intent, evidence': (text) =>
    parseIntent(
      jsonOf({ ...INTENT, controlEvidence: [{ controlId: text, source: text, result: text, [text]: 1 }] }),
    ),
  'an intent, metadata': (text) =>
    parseIntent(jsonOf({ ...INTENT, metadata: { agent: text, context: { [text]: text } } })),
  'a batch': (text) => parseBatch(bytesOf(`{"checks":[${text}]}`)),
  'a canonical form': (text) => canonicalJson({ [text]: [text] }),
  'an instant': parseInstant,
  'an instant, its fraction': (text) => parseInstant(`2026-11-15T12:00:00.${text}Z`),
  'a duration': durationFromText,
  'a quoted value': quote,
  'a guessed name': (text) => didYouMean(text, ['system', 'requiredControls']),
  'policy YAML': parsePolicyYaml,
  'policy YAML, a value': (text) => parsePolicyYaml(`kind: Profile\nid: ${text}\n`),
  'policy YAML, a quoted value': (text) => parsePolicyYaml(`kind: Profile\nid: "${text}\n`),
  'policy YAML, a block': (text) => parsePolicyYaml(`when: |\n  ${text}\n`),
  'coloured YAML': highlightYaml,
  'a bundle': (text) => compile([profile({ [text]: text, id: text, require: [text] })]),
  'a bundle, a condition': (text) => compile([profile({ when: text })]),
  'a bundle, a match': (text) => compile([profile({ match: { system: text, field: [text] } })]),
  'a condition': compileCondition,
  'a condition, scanned': scan,
  'a condition, a string': (text) => scan(`"${text}`),
  'a glob': (text) => compilePattern(`${text}*x`)(`${text}y`),
  'a glob of many pieces': (text) => compilePattern(text.slice(0, 256))(text),
  'a glob on a long name': (text) => compilePattern('*a*b*a*b*x')(text),
  'an attestation': parseAttestation,
  'an attestation, three parts': (text) => parseAttestation(`${btoa('{"alg":"EdDSA"}')}.${text}.${text}`),
  base64: decodeBase64,
  'a signed note': parseNote,
  'a signed note, its text': (text) => parseNote(`${text}\n\n\u2014 a AAAA\n`),
  'a checkpoint': (text) => openCheckpoint(`writecheck/a\n${text}\n\n\u2014 a ${text}\n`, []),
  'verifier keys': parseVerifierKeys,
  'a receipt': (text) => parseReceipt({ ...RECEIPT, leaf: text, checkpoint: text, proof: [text] }),
  'a receipt, verified': (text) =>
    verifyReceipt({
      receipt: { ...RECEIPT, checkpoint: text },
      intent: INTENT,
      keys: text,
      workspace: text,
      now: text,
    }),
  'a line of an export': parseExportLine,
  'a leaf': (text) => parseLeaf(bytesOf(text)),
  'an entry': (text) => parseEntry(jsonOf({ log: text, decision_id: text })),
  'a mapping': (text) =>
    readMapping({ read: [text], write: { [text]: { intent: { system: text, [text]: text } } } }),
  'a mapping, applied': (text) =>
    renderIntent(
      'tool',
      { intent: { system: text, objectRef: `{${text}}` }, evidence: [], review: {} },
      { a: text },
    ),
  'duplicate members': (text) => hasDuplicateMembers(JSON.stringify({ [text]: [text, {}] })),
  'duplicate members of what is not JSON': hasDuplicateMembers,
  ...Object.fromEntries(
    Object.values(SETTINGS).map(({ variable }) => [
      variable,
      (text: string) => loadConfig({ [variable]: text }),
    ]),
  ),
  'a misspelt setting': (text) => loadConfig({ [`WRITECHECK_${text.slice(0, 1_000)}`]: '1' }),
  'X-Forwarded-For': (text) => limitSubject(clientAddress('127.0.0.1', text, TRUSTED as never)),
  Host: (text) => isKnownHost(text, { host: '127.0.0.1', publicUrl: 'https://a.example' }),
  'X-Request-ID and traceparent': (text) => requestContext({ header: () => text }, 0),
  'traceparent, its rest': (text) =>
    requestContext({ header: () => `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01-${text}` }, 0),
  Authorization: credentialOf,
  'Authorization, a key': (text) => credentialOf(`Bearer ${text}`),
  Prefer: prefersReceipt,
  'a plain head': (text) => new HeadReader().read(`POST /v1/check-write HTTP/1.1\r\n${text}`),
  ...Object.fromEntries(
    HEADERS.map((name) => [
      `a plain head, ${name}`,
      (text: string) => new HeadReader().read(`POST /v1/check-write HTTP/1.1\r\nHost: a\r\n${name}: ${text}`),
    ]),
  ),
};
