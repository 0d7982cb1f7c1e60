/** Parses the bytes of a request into its checks: one check, or a batch. */
import { hash } from 'node:crypto';
import { canonicalIntent, parseBatch, parseIntent, type WriteIntent } from '@writecheck/contract';
import type { CheckingKeyKind, StoredKey } from '@writecheck/store/port';
import { problemText } from '../exchange/problem-answer.ts';
import { isRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { outOfScope } from '../features/keys/scope.ts';
import { type IdempotencyKey, idempotencyKey } from './idempotency.ts';
import { prefersReceipt } from './receipts.ts';
import type { Turn } from './turns.ts';

export type CheckingKey = StoredKey & { readonly kind: CheckingKeyKind };

/** A request after authentication: a checking key, the body's bytes, and the headers that matter here. */
export interface CheckCall {
  readonly kind: 'check' | 'batch';
  readonly key: CheckingKey;
  readonly body: Uint8Array;
  readonly context: RequestContext;
  /** `Idempotency-Key`, as sent. */
  readonly idempotencyHeader: string | undefined;
  /** `Prefer`, as sent. */
  readonly preferHeader?: string | undefined;
  /** Called with the number of checks in a batch, once it is known. */
  readonly onSized?: (checks: number) => void;
}

export interface Check {
  readonly intent: WriteIntent;
  /** From the parser. */
  readonly warnings: readonly string[];
  /** The intent's JSON as received. */
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The call, parsed. */
export interface Asked {
  readonly kind: CheckCall['kind'];
  readonly key: CheckingKey;
  /** With the time at which its checks are decided. */
  readonly context: RequestContext;
  /** The checks that can be decided; the frame holds the errors of the others. */
  readonly checks: readonly Check[];
  /** The text before, between and after the responses to the checks: one more piece than there are checks. */
  readonly frame: readonly string[];
  readonly idempotency: IdempotencyKey | null;
  /** Whether each decision carries its receipt. */
  readonly wantsReceipts: boolean;
}

const NO_FRAME = ['', ''];

export function parseRequest(call: CheckCall, context: RequestContext, turn: Turn): Asked | Refusal {
  const parsed = call.kind === 'check' ? parseOne(call) : parseMany(call, context, turn);
  if (isRefusal(parsed)) return parsed;
  const idempotency = idempotencyKey(call.idempotencyHeader, call.kind, call.body, call.key);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  return {
    kind: call.kind,
    key: call.key,
    context,
    checks: parsed.checks,
    frame: parsed.frame,
    idempotency,
    wantsReceipts: prefersReceipt(call.preferHeader),
  };
}

/** The digest that `intentDigest` computes, with this runtime's hash: `npm run bench -- micro`, case `sha256`. */
export function digestOf(intent: WriteIntent): string {
  return `sha256:${hash('sha256', canonicalIntent(intent))}`;
}

type Parsed = Pick<Asked, 'checks' | 'frame'>;

function parseOne({ key, body }: CheckCall): Parsed | Refusal {
  const parsed = parseIntent(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  const { intent, warnings } = parsed;
  const refused = outOfScope(key, intent);
  if (refused !== null) return refused;
  return { checks: [{ intent, warnings, bytes: body, digest: digestOf(intent) }], frame: NO_FRAME };
}

/** A refused check of a batch gets its error in the frame, and the others are decided. */
function parseMany({ key, body, onSized }: CheckCall, context: RequestContext, turn: Turn): Parsed | Refusal {
  const parsed = parseBatch(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  turn.isFor(parsed.checks.length);
  onSized?.(parsed.checks.length);
  const checks: Check[] = [];
  const frame = ['{"results":['];
  for (const [i, { parsed: own, bytes }] of parsed.checks.entries()) {
    if (i > 0) frame[frame.length - 1] += ',';
    const refused =
      own.kind === 'refused' ? refuse(own.code, own.message, own.details) : outOfScope(key, own.intent);
    if (refused !== null) {
      frame[frame.length - 1] += problemText(context, refused);
      continue;
    }
    // INVARIANT: a check that is not refused was parsed.
    const { intent, warnings } = own as Extract<typeof own, { kind: 'intent' }>;
    checks.push({ intent, warnings, bytes, digest: digestOf(intent) });
    frame.push('');
  }
  frame[frame.length - 1] += ']}';
  return { checks, frame };
}
