/** Asks a check for each AuthZEN evaluation: a mapping in front of it and one behind it, and nothing between them. */
import type { ErrorCode } from '@writecheck/contract';
import { checkWrite } from '../../check/check-write.ts';
import type { CheckCall, CheckRules } from '../../check/parse-request.ts';
import { inTurn } from '../../check/turns.ts';
import { type Answer, jsonText } from '../../exchange/answer.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import type { KeyedCall } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { brief, type Evaluation, evaluationOf } from './evaluation-answer.ts';
import { readEvaluation, readEvaluations, writeOf } from './read-evaluations.ts';

type EvaluationParts = Pick<ServiceParts, 'check' | 'people' | 'rates'>;

export async function evaluateOne(
  { check, people }: EvaluationParts,
  call: KeyedCall,
  family: CheckRules['family'],
): Promise<Answer> {
  const { authzenContext: listed } = await check.policies.snapshotOf(call.actor.workspace);
  const read: CheckRules['read'] = (body, key) => readEvaluation(body, key, listed);
  const answer = await checkWrite(check, { family, read, readsAlikeUnder: listsAs(listed) })(call);
  if (answer.code !== undefined) return answer;
  return { ...answer, body: JSON.stringify(evaluationOf(answer, people.publicUrl)) };
}

/** Each item is a check of its own, with its own turn, record and charge. */
export async function evaluateMany(parts: EvaluationParts, call: KeyedCall): Promise<Answer> {
  const { check, people, rates } = parts;
  const { actor, body, context, request } = call;
  const arrivedMs = performance.now();
  // Reading a large body takes a turn, too.
  const read = await inTurn(check, call, async (now) => {
    const evaluations = readEvaluations(body);
    return isRefusal(evaluations) ? problemAnswer(now, evaluations) : evaluations;
  });
  if ('status' in read) return read;
  const { items, defaults, endsAt } = read;
  if (items.length === 0) return evaluateOne(parts, call, 'evaluations');
  const isAlone = items.length === 1;
  if (!isAlone && HEADERS_OF_ONE.some((name) => request.header(name) !== undefined))
    return problemAnswer(context, FOR_ONE_ONLY);
  // The gate has counted one of them.
  rates.charge(actor, items.length - 1, context.nowMs);

  const { authzenContext: listed } = await check.policies.snapshotOf(actor.workspace);
  const part = body.subarray(0, Math.ceil(body.length / items.length));
  const ask = async (item: unknown): Promise<Asked> => {
    const rules: CheckRules = {
      family: 'evaluations',
      read: (_, key) => writeOf(item, defaults, key, listed),
      readsAlikeUnder: listsAs(listed),
    };
    const nowMs = context.nowMs + Math.round(performance.now() - arrivedMs);
    const itemCall: CheckCall = isAlone
      ? call
      : // Every item waits with its part of the body.
        { actor, body: part, context: { ...context, nowMs }, request: WITHOUT_HEADERS };
    const answer = await checkWrite(check, rules)(itemCall);
    return { answer, evaluation: evaluationOf(answer, people.publicUrl) };
  };
  const asked = endsAt === null ? await Promise.all(items.map(ask)) : await askUntil(endsAt, items, ask);
  const refused = asked.find(({ answer }) => OF_A_HEADER.has(answer.code));
  if (refused !== undefined) return refused.answer;
  const isWhole = prefersRepresentation(request.header('prefer'));
  const evaluations = asked.map(({ evaluation }) => (isWhole ? evaluation : brief(evaluation)));
  return jsonText(JSON.stringify({ evaluations }), headersOf(asked));
}

interface Asked {
  readonly answer: Answer;
  readonly evaluation: Evaluation;
}

/** One after another: what comes after the end is neither recorded nor charged. */
async function askUntil(
  endsAt: boolean,
  items: readonly unknown[],
  ask: (item: unknown) => Promise<Asked>,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const item of items) {
    const each = await ask(item);
    asked.push(each);
    if (each.evaluation.decision === endsAt) break;
  }
  return asked;
}

/** INVARIANT: what is decided was mapped under the very policy that decides it. */
export function listsAs(listed: readonly string[]): NonNullable<CheckRules['readsAlikeUnder']> {
  return ({ authzenContext }) =>
    authzenContext === listed || JSON.stringify(authzenContext) === JSON.stringify(listed);
}

const HEADERS_OF_ONE = ['idempotency-key', 'redeem'] as const;
const WITHOUT_HEADERS: CheckCall['request'] = { header: () => undefined };
const FOR_ONE_ONLY: Refusal = refuse(
  'invalid_request',
  '`Idempotency-Key` and `Redeem` are for a single evaluation; send each by itself',
);

/** Errors of a header concern the request, not its item. */
const OF_A_HEADER: ReadonlySet<ErrorCode | undefined> = new Set([
  'invalid_request',
  'idempotency_key_reused',
  'idempotency_key_expired',
  'already_redeemed',
  'request_in_flight',
]);

/** RFC 7240: preferences are separated by commas, their parameters by semicolons; names are case-insensitive. */
export function prefersRepresentation(header = ''): boolean {
  const preferences = header.split(',').map((each) => each.split(';', 1)[0]!.replaceAll(/[\s"]/g, ''));
  return preferences.some((each) => each.toLowerCase() === 'return=representation');
}

const PASSED_ON = ['ratelimit-policy', 'ratelimit', 'retry-after', 'idempotency-replayed'] as const;

/** Of the quota, the last item says how much is left. */
function headersOf(asked: readonly Asked[]): Answer['headers'] {
  const passed: Record<string, string> = {};
  for (const { answer } of asked)
    for (const name of PASSED_ON) if (answer.headers[name] !== undefined) passed[name] = answer.headers[name];
  return passed;
}
