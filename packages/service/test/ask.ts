/** Shortcuts for calling a service under test. */
import type { TestService } from './start-service.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  readonly body: any;
  readonly text: string;
}

export async function ask(
  url: string,
  init: RequestInit & { readonly key?: string; readonly json?: unknown } = {},
): Promise<Reply> {
  const { key, json, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const response = await fetch(url, {
    ...rest,
    headers,
    ...(json === undefined ? {} : { body: JSON.stringify(json), method: rest.method ?? 'POST' }),
  });
  const text = await response.text();
  const isJson = text !== '' && /[/+]json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}

/** An intent that is allowed: both controls it requires have evidence. */
export const ALLOWED = {
  system: 'crm',
  objectType: 'customer',
  objectRef: 'C-1',
  field: 'email',
  agentValue: 'ada@example.com',
  requiredControls: ['identity', 'approval'],
  controlEvidence: [
    { controlId: 'identity', source: 'okta', result: 'PASS' },
    { controlId: 'approval', source: 'desk', result: 'PASS' },
  ],
};

export const PAUSED = { ...ALLOWED, controlEvidence: ALLOWED.controlEvidence.slice(0, 1) };

export function check(
  service: TestService,
  intent: unknown,
  init: RequestInit & { readonly key?: string } = {},
): Promise<Reply> {
  return ask(`${service.url}/v1/check-write`, { key: service.developmentKey, ...init, json: intent });
}

/** Many concurrent checks; the replies are in the order of the intents. */
export function checkAll(url: string, key: string, intents: readonly unknown[]): Promise<readonly Reply[]> {
  return Promise.all(intents.map((json) => ask(`${url}/v1/check-write`, { key, json })));
}

/** The receipt of a decision. */
export async function receiptOf(url: string, key: string, decided: Reply): Promise<Reply['body']> {
  return (await ask(`${url}/v1/decisions/${decided.body.decision_id}/receipt`, { key })).body;
}

export async function signUp(service: TestService, name = 'another') {
  const { body } = await ask(`${service.url}/v1/workspaces`, { json: { name } });
  return body as {
    readonly workspace: { readonly id: string; readonly name: string };
    readonly ownerKey: string;
    readonly developmentKey: string;
  };
}
