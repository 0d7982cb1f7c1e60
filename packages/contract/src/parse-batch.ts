/** Parses a batch: each check on its own, with its bytes as sent, or a refusal of the whole. */
import { BATCH_ATTESTATIONS_LIMIT, BATCH_CHECKS_LIMIT, DEPTH_LIMIT } from './limits.ts';
import { type Fault, findUnknownMembers, noFindings, note } from './parse-findings.ts';
import { intentFromStrictJson, type ParsedIntent } from './parse-intent.ts';
import { rawElements, rawMember } from './raw-json.ts';
import { isLeftOut, isObject, kindOf } from './read-member.ts';
import { parseStrictJson } from './strict-json.ts';

export interface BatchCheck {
  readonly parsed: ParsedIntent;
  /** The element's bytes as sent: a view, not a copy. */
  readonly bytes: Uint8Array;
}

export type ParsedBatch =
  | { readonly kind: 'batch'; readonly checks: readonly BatchCheck[]; readonly warnings: readonly string[] }
  | {
      readonly kind: 'refused';
      readonly code: 'malformed_json' | 'invalid_request';
      readonly message: string;
      readonly details: readonly Fault[];
    };

const KNOWN_MEMBERS: ReadonlySet<string> = new Set(['checks']);
/** `{"checks": [` is around each element, which may be as deep as a request of its own. */
const BATCH_DEPTH_LIMIT = DEPTH_LIMIT + 2;

/** Any bytes give a value, never an exception. */
export function parseBatch(bytes: Uint8Array): ParsedBatch {
  const json = parseStrictJson(bytes, BATCH_DEPTH_LIMIT);
  if (json.kind === 'malformed') {
    const { pointer, message } = json;
    return { kind: 'refused', code: 'malformed_json', message, details: [{ pointer, message }] };
  }
  if (!isObject(json.value)) {
    return refused([{ pointer: '', message: `the body must be an object, not ${kindOf(json.value)}` }]);
  }
  const findings = noFindings();
  findUnknownMembers(json.value, KNOWN_MEMBERS, '', findings);
  const { checks } = json.value;
  if (isLeftOut(checks)) note(findings, '', 'checks', '`checks` is required');
  else if (!Array.isArray(checks))
    note(findings, '', 'checks', `\`checks\` must be an array, not ${kindOf(checks)}`);
  else noteBatchLimits(checks, (message) => note(findings, '', 'checks', message));
  const faults = [...findings.spellingFaults, ...findings.otherFaults];
  if (faults.length > 0) return refused(faults);
  const elements = rawElements(rawMember(bytes, 'checks'));
  const parsed = (checks as readonly unknown[]).map((check, index) => {
    const own = elements[index]!;
    return { parsed: intentFromStrictJson(check, own), bytes: own };
  });
  return { kind: 'batch', checks: parsed, warnings: findings.warnings };
}

function noteBatchLimits(checks: readonly unknown[], say: (message: string) => void): void {
  if (checks.length < 1 || checks.length > BATCH_CHECKS_LIMIT) {
    say(`\`checks\` has ${checks.length} elements, 1 to ${BATCH_CHECKS_LIMIT} are allowed`);
  }
  const attestations = checks.reduce<number>((sum, check) => sum + countAttestations(check), 0);
  if (attestations > BATCH_ATTESTATIONS_LIMIT) {
    say(
      `\`checks\` has ${attestations} attestations in all, at most ${BATCH_ATTESTATIONS_LIMIT} are allowed`,
    );
  }
}

function countAttestations(check: unknown): number {
  if (!isObject(check) || !Array.isArray(check.controlEvidence)) return 0;
  return check.controlEvidence.filter((item) => isObject(item) && !isLeftOut(item.attestation)).length;
}

function refused(details: readonly Fault[]): ParsedBatch {
  return { kind: 'refused', code: 'invalid_request', message: details[0]!.message, details };
}
