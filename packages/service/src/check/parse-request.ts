/** Parses the bytes of a request into its checks: one check, or a batch. */
import { hash } from 'node:crypto';
import {
  canonicalIntent,
  type DecisionTexts,
  type EngineDecision,
  parseBatch,
  parseIntent,
  type ResponseEnvelope,
  type WriteIntent,
} from '@writecheck/contract';
import type { PolicySnapshot } from '@writecheck/engine';
import type { CheckingKeyKind, StoredKey } from '@writecheck/store/port';
import type { KeyActor } from '../exchange/actor.ts';
import { problemText } from '../exchange/problem-answer.ts';
import { isRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { KeyedCall } from '../exchange/route.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../features/keys/allowance.ts';
import { outOfScope } from '../features/keys/scope.ts';
import type { CheckRates } from './check-rates.ts';
import type { AnswerTexts } from './draft-answer.ts';
import { type Frame, FrameBuilder, NO_FRAME } from './frame.ts';
import { type CheckFamily, type IdempotencyKey, idempotencyKey, isVisibleAscii } from './idempotency.ts';
import { prefersReceipt } from './receipts.ts';
import type { Turn } from './turns.ts';

export type CheckingKey = StoredKey & { readonly kind: CheckingKeyKind };

/** A request past the gates. */
export type CheckCall = Pick<KeyedCall, 'actor' | 'body' | 'context'> & {
  readonly request: Pick<KeyedCall['request'], 'header'>;
};

/** What the requests of a route have in common. */
export interface CheckRules {
  readonly family: CheckFamily;
  /** Left out if they are in our own form. */
  readonly form?: WireForm;
  /** Set for batches: the gate counts one check before it reads the body, and this limit counts the others. */
  readonly rates?: Pick<CheckRates, 'charge'>;
}

export interface Check {
  readonly intent: WriteIntent;
  /** The parser's warnings. */
  readonly warnings: readonly string[];
  /** The intent's JSON as received. */
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** If the intent was mapped from another form: the body as received, and which of its evaluations this is. */
  readonly received?: { readonly body: Uint8Array; readonly evaluation?: number };
}

/** How requests and responses look to a caller that does not speak our own form; the check between them is the same. */
export interface WireForm {
  /** `sized` is called with the number of checks in a batch, once it is known. */
  parse(key: CheckingKey, body: Uint8Array, sized: (checks: number) => void): Parsed | Refusal;
  /** Whether this policy maps the request to the same intent as the policy under which it was mapped. */
  mapsAs(snapshot: PolicySnapshot): boolean;
  textsOf(decided: EngineDecision, texts: DecisionTexts, envelope: ResponseEnvelope): AnswerTexts;
  /** A refused check among the results of a batch. */
  errorText(refusal: Refusal): string;
  /** A kept response as this request prefers it; `receiptOf` is null if it wants no receipts. */
  again(kept: string, receiptOf: ((decisionId: string) => Promise<unknown>) | null): Promise<string>;
}

/** The call, parsed. */
export interface ParsedRequest {
  readonly form: WireForm | undefined;
  readonly key: CheckingKey;
  /** How many checks the key has a month; null if unlimited. */
  readonly quota: number | null;
  /** Has the time at which the checks are decided. */
  readonly context: RequestContext;
  /** The checks that can be decided; the frame holds the errors of the others. */
  readonly checks: readonly Check[];
  readonly frame: Frame;
  /** Whether the response lists results, so that one refused check does not refuse the others. */
  readonly isBatch: boolean;
  readonly idempotency: IdempotencyKey | null;
  /** The `Redeem` header: an allow is taken in the same commit. Null without it. */
  readonly claim: string | null;
  /** Whether each decision carries its receipt. */
  readonly wantsReceipts: boolean;
}

export function parseRequest(
  rules: CheckRules,
  call: CheckCall,
  context: RequestContext,
  turn: Turn,
): ParsedRequest | Refusal {
  const { family, form } = rules;
  const { actor, body, request } = call;
  // INVARIANT: these routes are open to checking keys only; the gate before them ensures it.
  const key = (actor as KeyActor).key as CheckingKey;
  const parsed = family === 'check' ? parseOne(key, body) : parseMany(rules, call, key, context, turn);
  if (isRefusal(parsed)) return parsed;
  const idempotencyHeader = request.header('idempotency-key');
  const idempotency =
    idempotencyHeader === undefined ? null : idempotencyKey(idempotencyHeader, family, body, key.lineage);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  const redeemHeader = request.header('redeem');
  const claim = redeemHeader === undefined ? null : claimIn(redeemHeader, idempotencyHeader, parsed.isBatch);
  if (claim !== null && isRefusal(claim)) return claim;
  // Several of these headers arrive as one, joined by commas.
  const preferHeader = request.header('prefer');
  return {
    form,
    key,
    quota: key.kind === 'development' ? DEVELOPMENT_CHECKS_A_MONTH : null,
    context,
    ...parsed,
    idempotency,
    claim: claim?.claim ?? null,
    wantsReceipts: preferHeader !== undefined && prefersReceipt(preferHeader),
  };
}

/** INVARIANT: a claim comes with an `Idempotency-Key`, so that a lost response never leads to a second allow. */
function claimIn(
  redeemHeader: string,
  idempotencyHeader: string | undefined,
  isBatch: boolean,
): { readonly claim: string } | Refusal {
  if (isBatch) return refuse('invalid_request', '`Redeem` is for a single check; take each allow by itself');
  if (!isVisibleAscii(redeemHeader))
    return refuse('invalid_request', '`Redeem` must be 1 to 255 visible ASCII characters');
  if (idempotencyHeader === undefined)
    return refuse(
      'invalid_request',
      '`Redeem` needs an `Idempotency-Key`, so that you can retry after a lost response',
    );
  return { claim: redeemHeader };
}

/** The digest that `intentDigest` computes, with this runtime's hash: `npm run bench -- micro`, case `sha256`. */
export function digestOf(intent: WriteIntent): string {
  return `sha256:${hash('sha256', canonicalIntent(intent))}`;
}

export type Parsed = Pick<ParsedRequest, 'checks' | 'frame' | 'isBatch'>;

function parseOne(key: CheckingKey, body: Uint8Array): Parsed | Refusal {
  const parsed = parseIntent(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  const { intent, warnings } = parsed;
  const isRestricted = key.allowedSystems !== null || key.allowedWorkflows !== null;
  const refused = isRestricted ? outOfScope(key, intent) : null;
  if (refused !== null) return refused;
  return {
    checks: [{ intent, warnings, bytes: body, digest: digestOf(intent) }],
    frame: NO_FRAME,
    isBatch: false,
  };
}

/** Parses a body that may hold several checks: each takes its place and counts against the rate of its key. */
function parseMany(
  { form, rates }: CheckRules,
  { actor, body, context: arrived }: CheckCall,
  key: CheckingKey,
  context: RequestContext,
  turn: Turn,
): Parsed | Refusal {
  const sized = (checks: number): void => {
    turn.isFor(checks);
    rates?.charge(actor, checks - 1, arrived.nowMs);
  };
  return form === undefined ? parseOwnBatch(key, body, context, sized) : form.parse(key, body, sized);
}

/** A refused check of a batch gets its error in the frame, and the others are decided. */
function parseOwnBatch(
  key: CheckingKey,
  body: Uint8Array,
  context: RequestContext,
  sized: (checks: number) => void,
): Parsed | Refusal {
  const parsed = parseBatch(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  sized(parsed.checks.length);
  const checks: Check[] = [];
  const frame = new FrameBuilder('{"results":[');
  for (const { parsed: result, bytes } of parsed.checks) {
    const refused =
      result.kind === 'refused'
        ? refuse(result.code, result.message, result.details)
        : outOfScope(key, result.intent);
    if (refused !== null) {
      frame.refused(problemText(context, refused));
      continue;
    }
    // INVARIANT: a check that is not refused was parsed.
    const { intent, warnings } = result as Extract<typeof result, { kind: 'intent' }>;
    checks.push({ intent, warnings, bytes, digest: digestOf(intent) });
    frame.decided();
  }
  return { checks, frame: frame.end(), isBatch: true };
}
