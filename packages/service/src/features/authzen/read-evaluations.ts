/** Reads the body of an AuthZEN request: one evaluation, or several with defaults. */
import {
  BODY_BYTES_MAX,
  DEPTH_MAX,
  EVALUATIONS_MAX,
  isObject,
  mapEvaluation,
  parseStrictJson,
} from '@writecheck/contract';
import type { AskedWrite, CheckingKey } from '../../check/parse-request.ts';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import { outOfScope } from '../keys/scope.ts';

type Members = { readonly [member: string]: unknown };

/** Items are two levels deeper than a single evaluation. */
const ITEMS_DEPTH_MAX = DEPTH_MAX + 2;
const NO_DEFAULTS: Members = {};

/** The decision at which the array ends, by semantic; null if at none. */
const SEMANTICS: { readonly [semantic: string]: boolean | null } = {
  execute_all: null,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
};

export interface Evaluations {
  /** Empty for a single evaluation. */
  readonly items: readonly unknown[];
  /** The body, whose top-level members are the items' defaults. */
  readonly defaults: Members;
  readonly endsAt: boolean | null;
}

export function readEvaluations(body: Uint8Array): Evaluations | Refusal {
  const read = readBody(body, ITEMS_DEPTH_MAX);
  if (isRefusal(read)) return read;
  const { members } = read;
  const items = members.evaluations ?? [];
  if (!Array.isArray(items)) return invalid('`/evaluations` must be an array');
  const endsAt = endOf(members.options);
  if (endsAt === undefined) {
    const known = Object.keys(SEMANTICS).join(', ');
    return invalid(`\`/options/evaluations_semantic\` must be one of ${known}, and \`/options\` an object`);
  }
  if (items.length === 0 && body.length > BODY_BYTES_MAX)
    return refuse('body_too_large', `a single evaluation is larger than ${BODY_BYTES_MAX} bytes`);
  if (items.length > EVALUATIONS_MAX)
    return invalid(`\`/evaluations\` has ${items.length} items, at most ${EVALUATIONS_MAX} are allowed`);
  return { items, defaults: members, endsAt };
}

/** Undefined if we do not know the semantic. */
function endOf(options: unknown): boolean | null | undefined {
  if (options === undefined || options === null) return null;
  if (!isObject(options)) return undefined;
  const { evaluations_semantic: semantic = 'execute_all' } = options as Members;
  return typeof semantic === 'string' && Object.hasOwn(SEMANTICS, semantic) ? SEMANTICS[semantic] : undefined;
}

/** `listed` are the members of `context` that the running policy makes part of the write. */
export function readEvaluation(
  body: Uint8Array,
  key: CheckingKey,
  listed: readonly string[],
): AskedWrite | Refusal {
  const read = readBody(body, DEPTH_MAX);
  return isRefusal(read) ? read : writeOf(read.members, NO_DEFAULTS, key, listed);
}

/** The write of one evaluation. */
export function writeOf(
  evaluation: unknown,
  defaults: Members,
  key: CheckingKey,
  listed: readonly string[],
): AskedWrite | Refusal {
  const mapped = mapEvaluation(evaluation, defaults, listed);
  if (mapped.kind === 'faulty') return invalid(mapped.message);
  const { intent, warnings, text } = mapped;
  // INVARIANT: keeps members that only cause warnings, so that deciding it again gives the same warnings.
  const bytes = Buffer.from(text);
  // Defaults are repeated in every item, so an item may be far larger than its part of the body.
  if (bytes.length > WRITE_BYTES_MAX)
    return invalid(`the evaluation with its defaults is larger than ${WRITE_BYTES_MAX} bytes`);
  return outOfScope(key, intent, '/context/workflow_id') ?? { intent, warnings, bytes };
}

/** A mapped evaluation is a little longer than its body. */
const WRITE_BYTES_MAX = 2 * BODY_BYTES_MAX;

/** INVARIANT: the members stay apart from a refusal, because the caller chooses their names. */
function readBody(
  bytes: Uint8Array,
  depthMax: number,
): { readonly kind: 'read'; readonly members: Members } | Refusal {
  const json = parseStrictJson(bytes, depthMax);
  if (json.kind === 'malformed') return refuse('malformed_json', json.message);
  const { value } = json;
  return isObject(value) ? { kind: 'read', members: value } : invalid('the body must be an object');
}

function invalid(message: string): Refusal {
  return refuse('invalid_intent', message);
}
