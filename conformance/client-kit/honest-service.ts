/**
 * A small honest service in memory that pauses every write until its review is approved, and lets one run take each
 * allow. Only for testing wrappers.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { intentDigest } from '@writecheck/contract';
import { allowFor } from './hostile-server.ts';

type State = 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
type Json = Readonly<Record<string, unknown>>;

export interface HonestReview {
  readonly id: string;
  readonly intentDigest: string;
  readonly intent: Json;
  readonly askedBy: readonly Json[];
  state: State;
  because?: string;
  comment?: string;
  resolvedAt?: string;
}

export interface HonestService {
  readonly baseUrl: string;
  /** Every request so far, as `METHOD /path`. */
  readonly requests: readonly string[];
  readonly reviews: readonly HonestReview[];
  /** What was reported about each decision, in order. */
  readonly outcomes: readonly { readonly decisionId: string; readonly body: string }[];
  /** Ends the review. */
  resolve(id: string, state: Exclude<State, 'open'>, comment?: string): void;
  close(): Promise<void>;
}

interface Stored {
  readonly body: string;
  readonly claim: string | undefined;
  readonly decision: Json;
}

/** A pause takes nothing: it leaves its key to any other request with a claim. */
function isFree({ body, claim, decision }: Stored, asked: string, asking: string | undefined): boolean {
  const isUntaken = claim !== undefined && decision.decision !== 'allow';
  return isUntaken && asking !== undefined && (asked !== body || asking !== claim);
}

const CONTROL = 'approval';
const HOLDS_MS = 3_600_000;

export async function startHonestService(): Promise<HonestService> {
  const reviews: HonestReview[] = [];
  const requests: string[] = [];
  const outcomes: { readonly decisionId: string; readonly body: string }[] = [];
  const redeemed = new Map<string, string>();
  const stored = new Map<string, Stored>();
  const decided = new Map<string, Json>();

  function check(body: string, key: string, headers: Readonly<Record<string, string>>): Json {
    const intent = JSON.parse(body) as Json & { readonly controlEvidence?: readonly Json[] };
    const digest = intentDigest(intent as never);
    const approval = reviews.find(
      (review) =>
        review.state === 'approved' &&
        review.because === undefined &&
        review.intentDigest === digest &&
        intent.controlEvidence?.some(
          ({ evidenceRef, checkedAt }) =>
            evidenceRef === `urn:writecheck:review:${review.id}` && checkedAt === review.resolvedAt,
        ),
    );
    if (approval !== undefined) approval.because = 'used';
    const decision_id = `dec_${randomBytes(16).toString('hex')}`;
    const allow = { ...allowFor(body, headers), decision_id };
    const decision = approval === undefined ? pauseOf(allow) : allow;
    if (approval !== undefined && headers.redeem !== undefined) redeemed.set(decision_id, headers.redeem);
    stored.set(key, { body, claim: headers.redeem, decision });
    decided.set(decision_id, intent);
    return decision;
  }

  function open(body: string): { readonly status: number; readonly review?: HonestReview } {
    const { decision_id, ...asked } = JSON.parse(body) as Json;
    const intent = decided.get(String(decision_id));
    if (intent === undefined) return { status: 404 };
    const digest = intentDigest(intent as never);
    const found = reviews.findLast(
      (review) =>
        review.intentDigest === digest &&
        (review.state === 'open' ||
          review.state === 'rejected' ||
          (review.state === 'approved' && review.because === undefined)),
    );
    if (found !== undefined) return { status: 200, review: found };
    const id = `rev_${randomBytes(16).toString('hex')}`;
    const review: HonestReview = { id, intentDigest: digest, intent, askedBy: [asked], state: 'open' };
    reviews.push(review);
    return { status: 201, review };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    const body = await text(request);
    if (url.pathname === '/v1/check-write') {
      const key = String(request.headers['idempotency-key'] ?? randomBytes(8).toString('hex'));
      const headers = request.headers as Record<string, string>;
      const earlier = stored.get(key);
      if (earlier === undefined || isFree(earlier, body, headers.redeem))
        return send(response, 200, check(body, key, headers));
      if (earlier.body !== body)
        return send(response, 422, problem('idempotency_key_reused', earlier.decision));
      return send(response, 200, earlier.decision, { 'idempotency-replayed': 'true' });
    }
    if (url.pathname === '/v1/requirements') {
      const evaluated = { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' };
      return send(response, 200, { requirements: [], authority: {}, evaluated, remediation: [] });
    }
    if (url.pathname === '/v1/reviews' && request.method === 'POST') {
      const { status, review } = open(body);
      return send(response, status, review === undefined ? problem('not_found') : { review: shown(review) });
    }
    if (url.pathname === '/v1/reviews') {
      const digest = url.searchParams.get('intentDigest');
      const state = url.searchParams.get('state');
      const found = reviews.filter((one) => one.intentDigest === digest && one.state === state).reverse();
      return send(response, 200, { reviews: found.map(shown), nextCursor: null });
    }
    const [, decisionId = '', step] = /^\/v1\/decisions\/(\w+)\/(redeem|outcome)$/.exec(url.pathname) ?? [];
    if (step === 'outcome') {
      outcomes.push({ decisionId, body });
      return send(response, 200, { outcome: JSON.parse(body) });
    }
    if (step === 'redeem') {
      const by = String(request.headers['idempotency-key']);
      if (redeemed.has(decisionId) && redeemed.get(decisionId) !== by)
        return send(response, 409, problem('already_redeemed', { decision_id: decisionId }));
      redeemed.set(decisionId, by);
      return send(response, 200, { redeemed: true, redeemedAt: new Date().toISOString() });
    }
    const id = /^\/v1\/reviews\/(rev_\w+)$/.exec(url.pathname)?.[1] ?? '';
    const review = reviews.find((one) => one.id === id);
    if (review === undefined) return send(response, 404, problem('not_found'));
    send(response, 200, { review: shown(review) });
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    reviews,
    outcomes,
    resolve(id, state, comment) {
      const review = reviews.find((one) => one.id === id);
      if (review === undefined) throw new Error(`there is no review \`${id}\``);
      review.state = state;
      review.resolvedAt = new Date().toISOString();
      if (comment !== undefined) review.comment = comment;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function shown({ id, state, because, comment, intentDigest, ...review }: HonestReview): Json {
  const resolvedAt = review.resolvedAt ?? null;
  const validUntil =
    resolvedAt === null || state !== 'approved'
      ? null
      : new Date(Date.parse(resolvedAt) + HOLDS_MS).toISOString();
  const item = {
    controlId: CONTROL,
    source: 'review-desk',
    result: 'PASS',
    checkedAt: resolvedAt,
    expiresAt: validUntil,
    evidenceRef: `urn:writecheck:review:${id}`,
  };
  return {
    id,
    state,
    ...(because === undefined ? {} : { because }),
    intentDigest,
    controls: [{ controlId: CONTROL, groups: [], approvals: 1, identity: 'any', selfReview: false }],
    alsoNeeded: [],
    verdicts: state === 'rejected' ? [{ verdict: 'reject', comment: comment ?? 'no', at: resolvedAt }] : [],
    comments: [],
    resolvedAt,
    validUntil,
    ...(state === 'approved' && because === undefined ? { evidence: [item] } : {}),
    url: `http://localhost:8080/#/reviews/${id}`,
  };
}

function pauseOf({ validUntil: _, redemption: __, ...rest }: Json): Json {
  return {
    ...rest,
    decision: 'pause',
    allowed: false,
    reason: 'Control `approval` has no evidence; supply a PASS.',
    reason_code: 'CONTROL_EVIDENCE_MISSING',
    execution_status: 'held_for_review',
    remediation: [{ gate: 'control', controlId: CONTROL, action: 'supply', need: 'a PASS' }],
    review: { controls: [CONTROL] },
  };
}

/** `about`: the decision that prevents this one. */
function problem(code: string, about: Json = {}): Json {
  const details = ['decision_id', 'decision'].flatMap((name) =>
    about[name] === undefined ? [] : [{ pointer: `/${name}`, message: about[name] }],
  );
  return { success: false, allowed: false, failClosed: true, error: { code, message: code, details } };
}

function send(response: ServerResponse, status: number, body: Json, headers: Json = {}): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...(headers as Record<string, string>) });
  response.end(JSON.stringify(body));
}
