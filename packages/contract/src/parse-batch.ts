/** Parses a batch into single checks with their bytes, or refuses it as a whole. */
import { BATCH_ATTESTATIONS_MAX, BATCH_CHECKS_MAX, DEPTH_MAX } from './limits.ts';
import { knownNames } from './member-spelling.ts';
import { type Fault, findUnknownMembers, noFindings } from './parse-findings.ts';
import { intentFromStrictJson, type ParsedIntent } from './parse-intent.ts';
import { rawElements, rawMember } from './raw-json.ts';
import { isLeftOut, isObject, kindOf } from './read-member.ts';
import { parseStrictJson } from './strict-json.ts';

export interface BatchCheck {
  readonly parsed: ParsedIntent;
  /** The element's bytes as sent; a view, not a copy. */
  readonly bytes: Uint8Array;
}

export type ParsedBatch =
  | { readonly kind: 'batch'; readonly checks: readonly BatchCheck[] }
  | {
      readonly kind: 'refused';
      readonly code: 'malformed_json' | 'unknown_member' | 'invalid_request';
      readonly message: string;
      readonly details: readonly Fault[];
    };

/** Each element may be as deep as a single request, plus the two levels of `{"checks": [`. */
const BATCH_DEPTH_MAX = DEPTH_MAX + 2;

/** `checks` is too short for guesses by edit distance; only case, `_` and `-` count. */
const KNOWN = knownNames(['checks']);

/** Never throws, whatever the bytes. */
export function parseBatch(bytes: Uint8Array): ParsedBatch {
  const json = parseStrictJson(bytes, BATCH_DEPTH_MAX);
  if (json.kind === 'malformed') {
    const { pointer, message } = json;
    return { kind: 'refused', code: 'malformed_json', message, details: [{ pointer, message }] };
  }
  if (!isObject(json.value))
    return refused([fault('', `the body must be an object, not ${kindOf(json.value)}`)]);
  const { checks } = json.value;
  const findings = noFindings();
  findUnknownMembers(json.value, KNOWN, '', findings);
  // A second spelling of `checks` next to it may matter; do not ignore it.
  if (findings.spellingFaults.length > 0) return refused(findings.spellingFaults, 'unknown_member');
  if (isLeftOut(checks)) return refused([fault('/checks', '`checks` is required')]);
  if (!Array.isArray(checks))
    return refused([fault('/checks', `\`checks\` must be an array, not ${kindOf(checks)}`)]);
  const faults = faultsOfSize(checks);
  if (faults.length > 0) return refused(faults);
  const elements = rawElements(rawMember(bytes, 'checks'));
  return {
    kind: 'batch',
    checks: elements.map((own, index) => ({ parsed: intentFromStrictJson(checks[index], own), bytes: own })),
  };
}

function faultsOfSize(checks: readonly unknown[]): readonly Fault[] {
  const faults: Fault[] = [];
  if (checks.length < 1 || checks.length > BATCH_CHECKS_MAX) {
    const message = `\`checks\` has ${checks.length} elements, 1 to ${BATCH_CHECKS_MAX} are allowed`;
    faults.push(fault('/checks', message));
  }
  const attestations = checks.reduce<number>((sum, check) => sum + countAttestations(check), 0);
  if (attestations > BATCH_ATTESTATIONS_MAX) {
    const message = `\`checks\` has ${attestations} attestations in total, at most ${BATCH_ATTESTATIONS_MAX} are allowed`;
    faults.push(fault('/checks', message));
  }
  return faults;
}

function countAttestations(check: unknown): number {
  if (!isObject(check) || !Array.isArray(check.controlEvidence)) return 0;
  return check.controlEvidence.filter((item) => isObject(item) && !isLeftOut(item.attestation)).length;
}

function refused(
  details: readonly Fault[],
  code: 'unknown_member' | 'invalid_request' = 'invalid_request',
): ParsedBatch {
  return { kind: 'refused', code, message: details[0]!.message, details };
}

function fault(pointer: string, message: string): Fault {
  return { pointer, message };
}
