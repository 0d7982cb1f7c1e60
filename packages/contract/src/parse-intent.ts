/** Parses a request body into a write intent, or lists everything wrong with it. */
import { findValueFault } from './json-value.ts';
import { METADATA_BYTES_MAX, REQUIRED_CONTROLS_MAX, TEXT_BYTES_MAX } from './limits.ts';
import { knownNames } from './member-spelling.ts';
import { parseEvidence } from './parse-evidence.ts';
import { type Fault, type Findings, findUnknownMembers, noFindings, note } from './parse-findings.ts';
import { rawMember } from './raw-json.ts';
import {
  byteLengthExceeds,
  isLeftOut,
  isObject,
  kindOf,
  readBoolean,
  readBytes,
  readControlId,
  readName,
  readString,
} from './read-member.ts';
import { parseStrictJson } from './strict-json.ts';
import { ACTION_REQUEST_VERSION, WRITE_INTENT_VERSION } from './vocabulary.ts';
import type { JsonObject, WriteIntent } from './write-intent.ts';

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

type Body = { readonly [member: string]: unknown };
type UncheckedIntent = { -readonly [member in keyof WriteIntent]: WriteIntent[member] | undefined };

export const INTENT_MEMBERS = [
  'schemaVersion',
  'system',
  'objectType',
  'objectRef',
  'field',
  'agentValue',
  'authorityValue',
  'authoritySource',
  'authorityFound',
  'operation',
  'workflowId',
  'runId',
  'requiredControls',
  'controlEvidence',
  'metadata',
] as const satisfies readonly (keyof WriteIntent)[];
const KNOWN_MEMBERS = knownNames(INTENT_MEMBERS);

export const REQUIRED_OF_WRITE_INTENT = ['system', 'objectType', 'objectRef', 'field', 'agentValue'] as const;
export const REQUIRED_OF_ACTION_REQUEST = ['system', 'operation'] as const;

/** Never throws, whatever the bytes. */
export function parseIntent(bytes: Uint8Array): ParsedIntent {
  const json = parseStrictJson(bytes);
  return json.kind === 'malformed' ? malformed(json) : intentFromStrictJson(json.value, bytes);
}

/** Takes a value parsed elsewhere, which strict parsing might have refused. */
export function intentFromValue(value: unknown): ParsedIntent {
  const fault = findValueFault(value);
  return fault === null ? intentFromStrictJson(value, null) : malformed(fault);
}

/** INVARIANT: `value` is strict JSON; `bytes` are its bytes as sent, or null if it has none. */
export function intentFromStrictJson(value: unknown, bytes: Uint8Array | null): ParsedIntent {
  if (!isObject(value)) {
    return refused('invalid_intent', [{ pointer: '', message: `must be an object, not ${kindOf(value)}` }]);
  }
  const findings = noFindings();
  findUnknownMembers(value, KNOWN_MEMBERS, '', findings);
  const hasOperation = !isLeftOut(value.operation);
  for (const member of hasOperation ? REQUIRED_OF_ACTION_REQUEST : REQUIRED_OF_WRITE_INTENT) {
    if (isLeftOut(value[member])) note(findings, '', member, 'is required');
  }
  const intent = readMembers(value, bytes, findings);
  if (intent.schemaVersion === ACTION_REQUEST_VERSION && !hasOperation) {
    const message = `is \`${ACTION_REQUEST_VERSION}\`, which requires the member \`operation\``;
    findings.versionFaults.push({ pointer: '/schemaVersion', message });
  }
  return conclude(intent, findings);
}

/** Reads every known member; absent ones do not appear. */
function readMembers(body: Body, bytes: Uint8Array | null, findings: Findings): UncheckedIntent {
  const intent: UncheckedIntent = { system: readName(body.system, findings, '', 'system') };
  const schemaVersion = readSchemaVersion(body.schemaVersion, findings);
  if (schemaVersion !== undefined) intent.schemaVersion = schemaVersion;
  const objectType = readName(body.objectType, findings, '', 'objectType');
  if (objectType !== undefined) intent.objectType = objectType;
  const objectRef = readBytes(body.objectRef, TEXT_BYTES_MAX, findings, '', 'objectRef');
  if (objectRef !== undefined) intent.objectRef = objectRef;
  const field = readName(body.field, findings, '', 'field');
  if (field !== undefined) intent.field = field;
  const agentValue = readBytes(body.agentValue, TEXT_BYTES_MAX, findings, '', 'agentValue');
  if (agentValue !== undefined) intent.agentValue = agentValue;
  const authorityValue = readBytes(body.authorityValue, TEXT_BYTES_MAX, findings, '', 'authorityValue');
  if (authorityValue !== undefined) intent.authorityValue = authorityValue;
  const authoritySource = readName(body.authoritySource, findings, '', 'authoritySource');
  if (authoritySource !== undefined) intent.authoritySource = authoritySource;
  const authorityFound = readBoolean(body.authorityFound, findings, '', 'authorityFound');
  if (authorityFound !== undefined) intent.authorityFound = authorityFound;
  const operation = readName(body.operation, findings, '', 'operation');
  if (operation !== undefined) intent.operation = operation;
  const workflowId = readName(body.workflowId, findings, '', 'workflowId');
  if (workflowId !== undefined) intent.workflowId = workflowId;
  const runId = readName(body.runId, findings, '', 'runId');
  if (runId !== undefined) intent.runId = runId;
  const requiredControls = readRequiredControls(body.requiredControls, findings);
  if (requiredControls !== undefined) intent.requiredControls = requiredControls;
  const controlEvidence = parseEvidence(body.controlEvidence, findings);
  if (controlEvidence !== undefined) intent.controlEvidence = controlEvidence;
  const metadata = readMetadata(body.metadata, bytes, findings);
  if (metadata !== undefined) intent.metadata = metadata;
  return intent;
}

function readSchemaVersion(value: unknown, findings: Findings): string | undefined {
  if (value === WRITE_INTENT_VERSION || value === ACTION_REQUEST_VERSION) return value;
  if (isLeftOut(value)) return undefined;
  const message = `must be \`${WRITE_INTENT_VERSION}\` or \`${ACTION_REQUEST_VERSION}\``;
  findings.versionFaults.push({ pointer: '/schemaVersion', message });
  return undefined;
}

function readRequiredControls(value: unknown, findings: Findings): readonly string[] | undefined {
  if (isLeftOut(value)) return undefined;
  if (!Array.isArray(value)) {
    note(findings, '', 'requiredControls', `must be an array, not ${kindOf(value)}`);
    return undefined;
  }
  if (value.length > REQUIRED_CONTROLS_MAX) {
    const message = `has ${value.length} controls, at most ${REQUIRED_CONTROLS_MAX} are allowed`;
    note(findings, '', 'requiredControls', message);
  }
  for (let index = 0; index < Math.min(value.length, REQUIRED_CONTROLS_MAX); index += 1) {
    const controlId: unknown = value[index];
    if (isLeftOut(controlId)) note(findings, '/requiredControls', index, 'must be a string, not null');
    else readControlId(controlId, findings, '/requiredControls', index);
  }
  return value;
}

function readMetadata(value: unknown, bytes: Uint8Array | null, findings: Findings): JsonObject | undefined {
  if (isLeftOut(value)) return undefined;
  if (!isObject(value)) {
    note(findings, '', 'metadata', `must be an object, not ${kindOf(value)}`);
    return undefined;
  }
  readString(value.agent, findings, '/metadata', 'agent');
  if (!isLeftOut(value.context) && !isObject(value.context)) {
    note(findings, '/metadata', 'context', `must be an object, not ${kindOf(value.context)}`);
  }
  if (metadataIsTooLong(value, bytes))
    note(findings, '', 'metadata', `is longer than ${METADATA_BYTES_MAX} bytes`);
  return value as JsonObject;
}

/** Counts bytes as sent, with spaces and escapes. A body within the limit cannot contain a member over it. */
function metadataIsTooLong(metadata: unknown, bytes: Uint8Array | null): boolean {
  if (bytes === null) return byteLengthExceeds(JSON.stringify(metadata), METADATA_BYTES_MAX);
  if (bytes.length <= METADATA_BYTES_MAX) return false;
  return rawMember(bytes, 'metadata').length > METADATA_BYTES_MAX;
}

function conclude(intent: UncheckedIntent, findings: Findings): ParsedIntent {
  const { versionFaults, spellingFaults, otherFaults, warnings } = findings;
  // INVARIANT: the parser returns an intent only if it found no error.
  if (versionFaults.length + spellingFaults.length + otherFaults.length === 0) {
    return { kind: 'intent', intent: intent as WriteIntent, warnings };
  }
  const faults = [...versionFaults, ...spellingFaults, ...otherFaults];
  if (versionFaults.length > 0) return refused('unsupported_schema_version', faults);
  return refused(spellingFaults.length > 0 ? 'unknown_member' : 'invalid_intent', faults);
}

function refused(code: IntentFaultCode, details: readonly Fault[]): RefusedIntent {
  const { pointer, message } = details[0]!;
  const place = pointer === '' ? 'the body' : `\`${pointer}\``;
  const more = details.length === 1 ? '' : ` (and ${details.length - 1} more, see details)`;
  return { kind: 'refused', code, message: `${place} ${message}${more}`, details };
}

function malformed({ pointer, message }: Fault): RefusedIntent {
  return { kind: 'refused', code: 'malformed_json', message, details: [{ pointer, message }] };
}
