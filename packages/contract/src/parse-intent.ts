/** Parses a request body into a write intent, or says everything that is wrong with it. */
import { findValueFault } from './json-value.ts';
import { METADATA_LIMIT_BYTES, REQUIRED_CONTROLS_LIMIT } from './limits.ts';
import {
  booleanRule,
  byteLengthExceeds,
  controlIdRule,
  kindOf,
  type MemberRule,
  nameRule,
  note,
  textRule,
} from './member-rules.ts';
import { parseEvidence } from './parse-evidence.ts';
import { type Fault, type Findings, findUnknownMembers, noFindings } from './parse-findings.ts';
import { rawMember } from './raw-json.ts';
import { parseStrictJson } from './strict-json.ts';
import { ACTION_REQUEST_VERSION, WRITE_INTENT_VERSION } from './vocabulary.ts';
import type { WriteIntent } from './write-intent.ts';

export type IntentFaultCode =
  | 'malformed_json'
  | 'unsupported_schema_version'
  | 'unknown_member'
  | 'invalid_intent';

export interface RefusedIntent {
  readonly kind: 'refused';
  readonly code: IntentFaultCode;
  readonly message: string;
  readonly details: readonly Fault[];
}

export type ParsedIntent =
  | { readonly kind: 'intent'; readonly intent: WriteIntent; readonly warnings: readonly string[] }
  | RefusedIntent;

type UnknownMembers = { readonly [member: string]: unknown };

/** Checked by a rule of its own, or by the evidence parser. In the order in which a parsed intent has them. */
const INTENT_RULES: ReadonlyMap<string, MemberRule> = new Map([
  ['schemaVersion', schemaVersionRule],
  ['system', nameRule],
  ['objectType', nameRule],
  ['objectRef', textRule],
  ['field', nameRule],
  ['agentValue', textRule],
  ['authorityValue', textRule],
  ['authoritySource', nameRule],
  ['authorityFound', booleanRule],
  ['operation', nameRule],
  ['workflowId', nameRule],
  ['runId', nameRule],
  ['requiredControls', requiredControlsRule],
  ['controlEvidence', () => {}],
  ['metadata', metadataRule],
]);
export const INTENT_MEMBERS: readonly string[] = [...INTENT_RULES.keys()];
export const REQUIRED_OF_WRITE_INTENT: readonly string[] = [
  'system',
  'objectType',
  'objectRef',
  'field',
  'agentValue',
];
export const REQUIRED_OF_ACTION_REQUEST: readonly string[] = ['system', 'operation'];

/** Any bytes give a value: never an exception. */
export function parseIntent(bytes: Uint8Array): ParsedIntent {
  const json = parseStrictJson(bytes);
  if (json.kind === 'malformed') return malformed(json);
  return intentFromStrictJson(json.value, bytes);
}

/** For a value that was parsed elsewhere, and may hold what strict parsing would have refused. */
export function intentFromValue(value: unknown): ParsedIntent {
  const fault = findValueFault(value);
  if (fault !== null) return malformed(fault);
  return intentFromStrictJson(value, null);
}

/** INVARIANT: `value` is strict JSON; `bytes` are its own as sent, or null where it has none. */
export function intentFromStrictJson(value: unknown, bytes: Uint8Array | null): ParsedIntent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('invalid_intent', [{ pointer: '', message: `must be an object, not ${kindOf(value)}` }]);
  }
  const body = value as UnknownMembers;
  const findings = noFindings();
  findUnknownMembers(body, INTENT_RULES, '', findings);
  const intent: { [member: string]: unknown } = {};
  for (const [member, rule] of INTENT_RULES) {
    const given = Object.hasOwn(body, member) ? body[member] : undefined;
    if (given === undefined || given === null) continue;
    rule(given, findings, '', member);
    intent[member] = member === 'controlEvidence' ? parseEvidence(given, findings) : given;
  }
  const hasOperation = Object.hasOwn(intent, 'operation');
  for (const member of hasOperation ? REQUIRED_OF_ACTION_REQUEST : REQUIRED_OF_WRITE_INTENT) {
    if (!Object.hasOwn(intent, member)) note(findings, '', member, 'is required');
  }
  if (intent.schemaVersion === ACTION_REQUEST_VERSION && !hasOperation) {
    const message = `\`${ACTION_REQUEST_VERSION}\` needs the member \`operation\``;
    findings.versionFaults.push({ pointer: '/schemaVersion', message });
  }
  if (intent.metadata !== undefined && metadataIsTooLong(intent.metadata, bytes)) {
    note(findings, '', 'metadata', `is longer than ${METADATA_LIMIT_BYTES} bytes`);
  }
  return conclude(intent as unknown as WriteIntent, findings);
}

function conclude(intent: WriteIntent, findings: Findings): ParsedIntent {
  const { versionFaults, spellingFaults, otherFaults, warnings } = findings;
  const faults = [...versionFaults, ...spellingFaults, ...otherFaults];
  if (faults.length === 0) return { kind: 'intent', intent, warnings };
  if (versionFaults.length > 0) return refused('unsupported_schema_version', faults);
  return refused(spellingFaults.length > 0 ? 'unknown_member' : 'invalid_intent', faults);
}

function refused(code: IntentFaultCode, details: readonly Fault[]): RefusedIntent {
  const { pointer, message } = details[0]!;
  const more = details.length === 1 ? '' : ` (and ${details.length - 1} more, see details)`;
  return {
    kind: 'refused',
    code,
    message: `${pointer === '' ? 'the body' : `\`${pointer}\``} ${message}${more}`,
    details,
  };
}

function malformed({ pointer, message }: Fault): RefusedIntent {
  return { kind: 'refused', code: 'malformed_json', message, details: [{ pointer, message }] };
}

function schemaVersionRule(value: unknown, findings: Findings): void {
  if (value === WRITE_INTENT_VERSION || value === ACTION_REQUEST_VERSION) return;
  const message = `must be \`${WRITE_INTENT_VERSION}\` or \`${ACTION_REQUEST_VERSION}\``;
  findings.versionFaults.push({ pointer: '/schemaVersion', message });
}

function requiredControlsRule(value: unknown, findings: Findings): void {
  if (!Array.isArray(value)) {
    note(findings, '', 'requiredControls', `must be an array, not ${kindOf(value)}`);
    return;
  }
  if (value.length > REQUIRED_CONTROLS_LIMIT) {
    const message = `has ${value.length} controls, at most ${REQUIRED_CONTROLS_LIMIT} are allowed`;
    note(findings, '', 'requiredControls', message);
  }
  for (const [index, controlId] of value.slice(0, REQUIRED_CONTROLS_LIMIT).entries()) {
    controlIdRule(controlId, findings, '/requiredControls', index);
  }
}

function metadataRule(value: unknown, findings: Findings): void {
  if (!isObject(value)) {
    note(findings, '', 'metadata', `must be an object, not ${kindOf(value)}`);
    return;
  }
  const agent = Object.hasOwn(value, 'agent') ? value.agent : null;
  if (agent !== null && typeof agent !== 'string') {
    note(findings, '/metadata', 'agent', `must be a string, not ${kindOf(agent)}`);
  }
  const context = Object.hasOwn(value, 'context') ? value.context : null;
  if (context !== null && !isObject(context)) {
    note(findings, '/metadata', 'context', `must be an object, not ${kindOf(context)}`);
  }
}

/** As sent, spaces and escapes included; a body within the limit cannot hold a member beyond it. */
function metadataIsTooLong(metadata: unknown, bytes: Uint8Array | null): boolean {
  if (bytes === null) return byteLengthExceeds(JSON.stringify(metadata), METADATA_LIMIT_BYTES);
  if (bytes.length <= METADATA_LIMIT_BYTES) return false;
  return rawMember(bytes, 'metadata').length > METADATA_LIMIT_BYTES;
}

function isObject(value: unknown): value is UnknownMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
