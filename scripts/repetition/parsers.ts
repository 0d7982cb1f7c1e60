/** Input parsers that no route of the service runs on what it receives, or that deserve every length. */
import { canonicalJson, parseInstant, parseStrictJson } from '@writecheck/contract';
import {
  decodeBase64,
  openCheckpoint,
  parseEntry,
  parseExportLine,
  parseNote,
  parseVerifierKeys,
  verifyReceipt,
} from '@writecheck/ledger';
import { HeadReader } from '@writecheck/service/edge/connection/plain-request';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import { SETTINGS } from '@writecheck/service/support/config/settings';
import { redact } from '@writecheck/service/support/observability/redact';
import { readMapping } from '../../packages/adapters/src/mapping/read-mapping.ts';
import { renderIntent } from '../../packages/adapters/src/mapping/render-intent.ts';
import { hasDuplicateMembers } from '../../packages/client/src/duplicate-members.ts';
import { compileCondition } from '../../packages/engine/src/conditions/condition.ts';
import { scan } from '../../packages/engine/src/conditions/scan.ts';
import { durationFromText } from '../../packages/engine/src/conditions/values.ts';
import { parseAttestation } from '../../packages/engine/src/evidence/parse-attestation.ts';
import { compilePattern } from '../../packages/engine/src/policy/match.ts';
import { parsePolicyYaml } from '../../packages/engine/src/policy-yaml/parse-policy-yaml.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const jsonOf = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value));
const INTENT = { system: 's', objectType: 'o', objectRef: 'r', field: 'f', agentValue: 'a' };
const RECEIPT = {
  version: 'writecheck.receipt.v1',
  leaf: '',
  index: 0,
  treeSize: 1,
  proof: [],
  checkpoint: '',
};

type Parsers = { readonly [name: string]: (text: string) => unknown };

export const PARSERS: Parsers = {
  redact,
  'strict JSON': (text) => parseStrictJson(bytesOf(text)),
  'strict JSON, a name': (text) => parseStrictJson(jsonOf({ [text]: { [text]: 1 } })),
  'a canonical form': (text) => canonicalJson({ [text]: [text] }),
  'an instant': parseInstant,
  'a duration': durationFromText,
  'policy YAML': parsePolicyYaml,
  'policy YAML, a quoted value': (text) => parsePolicyYaml(`kind: Profile\nid: "${text}\n`),
  'policy YAML, a block': (text) => parsePolicyYaml(`when: |\n  ${text}\n`),
  'a condition': compileCondition,
  'a condition, scanned': scan,
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
  'a receipt, verified': (text) =>
    verifyReceipt({
      receipt: { ...RECEIPT, checkpoint: text },
      intent: INTENT,
      keys: text,
      workspace: text,
      now: text,
    }),
  'a line of an export': parseExportLine,
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
  ...Object.fromEntries(
    Object.values(SETTINGS).map(({ variable }) => [
      variable,
      (text: string) => loadConfig({ [variable]: text }),
    ]),
  ),
  'a misspelt setting': (text) => loadConfig({ [`WRITECHECK_${text.slice(0, 1_000)}`]: '1' }),
  'a plain head': (text) => new HeadReader().read(`POST /v1/check-write HTTP/1.1\r\n${text}`),
};
