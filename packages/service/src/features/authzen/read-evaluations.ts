/** Reads the body of an AuthZEN request into checks: one evaluation, or a batch with defaults. */
import {
  BATCH_ATTESTATIONS_MAX,
  BATCH_CHECKS_MAX,
  BODY_BYTES_MAX,
  DEPTH_MAX,
  type Decision,
  isObject,
  type MappedEvaluation,
  mapEvaluation,
  parseStrictJson,
} from '@writecheck/contract';
import { FrameBuilder, NO_FRAME } from '../../check/frame.ts';
import { type Check, type CheckingKey, digestOf, type Parsed } from '../../check/parse-request.ts';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import { outOfScope } from '../keys/scope.ts';

type Members = { readonly [member: string]: unknown };

/** Items of a batch are two levels deeper than a single evaluation. */
const BATCH_DEPTH_MAX = DEPTH_MAX + 2;
/** Defaults are repeated in every item, so the items together may be far larger than their body. */
const MAPPED_CHARACTERS_MAX = BATCH_CHECKS_MAX * BODY_BYTES_MAX;
const NO_DEFAULTS: Members = {};

const ENDINGS: { readonly [semantic: string]: ((decision: Decision) => boolean) | undefined } = {
  execute_all: undefined,
  deny_on_first_deny: (decision) => decision !== 'allow',
  permit_on_first_permit: (decision) => decision === 'allow',
};

export function readEvaluation(
  key: CheckingKey,
  bytes: Uint8Array,
  listed: readonly string[],
): Parsed | Refusal {
  const body = readBody(bytes, DEPTH_MAX);
  if (isRefusal(body)) return body;
  const check = checkOf(key, bytes, mapEvaluation(body.members, NO_DEFAULTS, listed));
  return isRefusal(check) ? check : { checks: [check], frame: NO_FRAME, isBatch: false };
}

export function readEvaluations(
  key: CheckingKey,
  bytes: Uint8Array,
  listed: readonly string[],
  sized: (checks: number) => void,
  errorText: (refusal: Refusal) => string,
): Parsed | Refusal {
  const body = readBody(bytes, BATCH_DEPTH_MAX);
  if (isRefusal(body)) return body;
  const { members } = body;
  const evaluations = members.evaluations ?? [];
  if (!Array.isArray(evaluations)) return invalid('`/evaluations` must be an array');
  const semantic = semanticOf(members.options);
  if (semantic === null) {
    const known = Object.keys(ENDINGS).join(', ');
    return invalid(`\`/options/evaluations_semantic\` must be one of ${known}, and \`/options\` an object`);
  }
  if (evaluations.length === 0) {
    // A single evaluation may not be as deep as the items of a batch.
    if (bytes.length <= BODY_BYTES_MAX) return readEvaluation(key, bytes, listed);
    return refuse('body_too_large', `a single evaluation is larger than ${BODY_BYTES_MAX} bytes`);
  }
  if (evaluations.length > BATCH_CHECKS_MAX)
    return invalid(
      `\`/evaluations\` has ${evaluations.length} items, at most ${BATCH_CHECKS_MAX} are allowed`,
    );
  sized(evaluations.length);

  const checks: Check[] = [];
  const frame = new FrameBuilder('{"evaluations":[');
  let characters = 0;
  let attestations = 0;
  for (const [i, item] of evaluations.entries()) {
    const check = checkOf(key, bytes, mapEvaluation(item, members, listed), i);
    if (isRefusal(check)) {
      frame.refused(errorText(check));
      // INVARIANT: an invalid item counts as a deny, so nothing after it is reached.
      if (semantic === 'deny_on_first_deny') break;
      continue;
    }
    characters += check.bytes.length;
    for (const { attestation } of check.intent.controlEvidence ?? [])
      attestations += attestation === undefined ? 0 : 1;
    if (characters > MAPPED_CHARACTERS_MAX)
      return refuse(
        'body_too_large',
        'the evaluations with their defaults are too large; send fewer at once',
      );
    if (attestations > BATCH_ATTESTATIONS_MAX)
      return invalid(
        `the evaluations have more than ${BATCH_ATTESTATIONS_MAX} attestations in total; send fewer at once`,
      );
    checks.push(check);
    frame.decided();
  }
  return { checks, frame: frame.end(ENDINGS[semantic]), isBatch: true };
}

/** Null if we do not know it. */
function semanticOf(options: unknown): string | null {
  if (options === undefined || options === null) return 'execute_all';
  if (typeof options !== 'object' || Array.isArray(options)) return null;
  const { evaluations_semantic: semantic = 'execute_all' } = options as Members;
  return typeof semantic === 'string' && Object.hasOwn(ENDINGS, semantic) ? semantic : null;
}

function checkOf(
  key: CheckingKey,
  body: Uint8Array,
  mapped: MappedEvaluation,
  evaluation?: number,
): Check | Refusal {
  if (mapped.kind === 'faulty') return invalid(mapped.message);
  const { intent, warnings, text } = mapped;
  const beyond = outOfScope(key, intent, '/context/workflow_id');
  if (beyond !== null) return beyond;
  return {
    intent,
    warnings,
    // INVARIANT: keeps members that only cause warnings, so that deciding it again gives the same warnings.
    bytes: Buffer.from(text),
    digest: digestOf(intent),
    received: evaluation === undefined ? { body } : { body, evaluation },
  };
}

function readBody(
  bytes: Uint8Array,
  depthMax: number,
): { readonly kind: 'read'; readonly members: Members } | Refusal {
  const json = parseStrictJson(bytes, depthMax);
  if (json.kind === 'malformed') return refuse('malformed_json', json.message);
  const { value } = json;
  return isObject(value)
    ? { kind: 'read', members: value as Members }
    : invalid('the body must be an object');
}

function invalid(message: string): Refusal {
  return refuse('invalid_intent', message);
}
