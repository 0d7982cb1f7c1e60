/** The three tools that `writecheck mcp` offers to a model, each using one checking key. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type ReviewMode, reviewMessage } from '@writecheck/adapters/guard';
import {
  type Client,
  createClient,
  type GuardOutcome,
  type ReviewRequest,
  type WriteDecision,
  type WriteIntent,
} from '@writecheck/client';
import { given, isObject, type JsonSchema, shown, writeIntentSchema } from '@writecheck/contract';
import { callIdHere, takeTurn } from '../call-id.ts';
import { argumentsDigest } from '../mapping/index.ts';
import { withoutSlashAtEnd } from './base-url.ts';
import { explainDecision } from './explain-decision.ts';

/** The service and the key that the tools use. */
export interface Asker {
  readonly url: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly review: ReviewMode;
}

const {
  $schema: _schema,
  $id: _id,
  ...intentSchema
} = writeIntentSchema as JsonSchema & Record<string, unknown>;
const intentInput = {
  type: 'object' as const,
  properties: { intent: { ...intentSchema, required: ['system'] } },
  required: ['intent'],
};

const ASKED_BY = {
  justification: 'why the write is needed, for the reviewers',
  onBehalfOf: 'who gave you the task, for example their e-mail address',
  externalRef: 'an http or https address of a ticket or a page',
};
const checkInput = {
  ...intentInput,
  properties: {
    ...intentInput.properties,
    ...Object.fromEntries(
      Object.entries(ASKED_BY).map(([name, description]) => [name, { type: 'string' as const, description }]),
    ),
  },
};

export const TOOLS: readonly Tool[] = [
  {
    name: 'check_write',
    description:
      'Check whether a write to a system of record may go ahead, before making it. Returns allow, pause or block with a reason. ' +
      'Make the write only on allow. On pause, a person must review it; on block, stop. If there is no response, do not write. ' +
      'If a person was asked to approve it, repeat the same call later: it is allowed once they approve.',
    inputSchema: checkInput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'explain_decision',
    description:
      'Explain an earlier decision made with this key: which gate decided, what was found, and what would satisfy it.',
    inputSchema: {
      type: 'object',
      properties: {
        decision_id: { type: 'string', description: 'such as dec_0190f0f0f0f07000800000000000000a' },
      },
      required: ['decision_id'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'list_requirements',
    description:
      'List the controls and the authority a write would need, without making a decision. ' +
      'Nothing is recorded, and the response never permits a write.',
    inputSchema: intentInput,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];

const WAIT_MS = 600_000;

const UNWRAPPED =
  'no decision, do not write: the intent is missing; wrap it in `intent`, for example {"intent": {"system": "crm", ...}}';

export async function callTool(
  asker: Asker,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  switch (name) {
    case 'check_write':
      if (!isObject(args.intent)) return failure(UNWRAPPED);
      return checkWrite(asker, args.intent as unknown as WriteIntent, reviewRequestIn(args), signal);
    case 'explain_decision':
      return explain(asker, args.decision_id, signal);
    case 'list_requirements':
      if (!isObject(args.intent)) return failure(UNWRAPPED);
      return listRequirements(clientOf(asker), args.intent as unknown as WriteIntent, signal);
    default:
      return failure(`there is no tool \`${shown(name)}\``);
  }
}

function reviewRequestIn(args: Readonly<Record<string, unknown>>): ReviewRequest {
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(ASKED_BY, name)));
}

async function checkWrite(
  asker: Asker,
  intent: WriteIntent,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const outcome = await askInTurn(asker, intent, request, signal);
  const { decision } = outcome;
  const text = inWords(decision, intent);
  if (outcome.executed) return answer(text, { ...decision });
  const { review, cause } = outcome;
  const reviewText = reviewMessage({ outcome, ...(cause === undefined ? {} : { unasked: cause.message }) });
  return answer(
    reviewText === undefined ? text : `${text}\n${reviewText}`,
    { ...decision, ...(review === undefined ? {} : { openedReview: review }) },
    decision.origin === 'client',
  );
}

/**
 * If the response with the allow is lost, a repeated question gets the same allow, and the approval is not
 * wasted. INVARIANT: once a tool result has carried an allow, no other result carries the same one.
 */
async function askInTurn(
  asker: Asker,
  intent: WriteIntent,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<GuardOutcome<void>> {
  const waitMs = asker.review === 'wait' ? WAIT_MS : 0;
  const turn = takeTurn(callIdOf(asker, intent));
  let isFree = true;
  try {
    const outcome = await clientOf(asker).guardWrite(intent, () => {}, {
      signal,
      // The write runs elsewhere: its executor redeems the allow, and knows the outcome.
      once: false,
      outcomes: false,
      ...given({ callId: turn.callId }),
      ...(asker.review === 'off' ? {} : { review: { ...request, waitMs } }),
    });
    isFree = !outcome.executed;
    return outcome;
  } finally {
    turn.end(isFree);
  }
}

/** A host numbers its requests and never repeats a number: only the intent identifies a repeated question. */
function callIdOf({ url, key }: Asker, intent: WriteIntent): string | undefined {
  try {
    return callIdHere('check_write', argumentsDigest([url, key, intent]));
  } catch {
    return undefined;
  }
}

async function listRequirements(
  client: Client,
  intent: WriteIntent,
  signal: AbortSignal,
): Promise<CallToolResult> {
  // The evidence is left out: if it held a FAIL, the result would be about the FAIL and not show everything that the
  // write needs.
  const { controlEvidence: _, ...bare } = intent;
  const needed = await client.requirements(bare as WriteIntent, { signal });
  if (needed.kind === 'unanswered') return failure(needed.cause.message);
  // `evaluated` is omitted: a model must not mistake it for a decision.
  const { requirements, authority, remediation } = needed;
  const needs = remediation.map(({ action, need, controlId }) =>
    [`- ${action}`, controlId === undefined ? '' : ` \`${controlId}\``, `: ${need}`].join(''),
  );
  const head =
    needs.length === 0
      ? 'Nothing is missing, even without evidence.'
      : 'What this write needs in addition to what was sent:';
  return answer([head, ...needs].join('\n'), { requirements, authority, remediation });
}

async function explain(
  { url, key, timeoutMs }: Asker,
  id: unknown,
  signal: AbortSignal,
): Promise<CallToolResult> {
  if (typeof id !== 'string') return failure('`decision_id` must be a string');
  let found: { readonly intent: WriteIntent; readonly response: WriteDecision };
  try {
    const response = await fetch(`${withoutSlashAtEnd(url)}/v1/decisions/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (response.status === 404) return failure(`no decision of this key has the id \`${id}\``);
    if (!response.ok) return failure(`the service answered with status ${response.status}`);
    found = (await response.json()) as typeof found;
  } catch {
    return failure('the service cannot be reached');
  }
  const past = 'This is a past decision: it permits nothing now. Call check_write again before a write.';
  return answer(`${inWords(found.response, found.intent)}\n${past}`, { ...found.response });
}

function clientOf({ url, key, timeoutMs }: Asker): Client {
  return createClient({ baseUrl: url, apiKey: key, timeoutMs });
}

function inWords(decision: WriteDecision, intent: WriteIntent): string {
  return explainDecision(decision, intent, (_, text) => text);
}

function answer(text: string, structuredContent: Record<string, unknown>, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, ...(isError ? { isError } : {}) };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
