/** Invites people and signs them in with passkeys in software, over the wire. */
import { type Algorithm, type Lies, SoftAuthenticator } from '../../ledger/test/soft-authenticator.ts';
import { ask, type Reply } from './ask.ts';
import type { TestService } from './start-service.ts';

let people = 0;

/** The one origin that a service without a public URL accepts. */
export function originOf(service: TestService): string {
  return `http://localhost:${new URL(service.url).port}`;
}

export function post(service: TestService, path: string, json: unknown, headers: HeadersInit = {}) {
  return ask(service.url + path, { json, headers });
}

export async function invite(service: TestService, members: object = {}) {
  people += 1;
  const wish = { name: 'Ada', email: `ada${people}@example.com`, roles: ['reviewer'], ...members };
  const { status, body } = await ask(`${service.url}/v1/people`, { key: service.ownerKey, json: wish });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return {
    id: body.person.id as string,
    email: wish.email,
    token: (body.invitation.url as string).split('#')[1]!,
    url: body.invitation.url as string,
  };
}

/** Accepts an invitation with a new passkey. */
export async function register(
  service: TestService,
  token: string,
  { algorithm, lies, origin = originOf(service) }: RegisterOptions = {},
): Promise<{ readonly device: SoftAuthenticator; readonly reply: Reply; readonly credential: object }> {
  const device = new SoftAuthenticator(origin, algorithm);
  const { body } = await post(service, '/v1/invitations/begin', { token });
  const credential = device.create(body.options, lies);
  return { device, credential, reply: await post(service, '/v1/invitations/finish', { token, credential }) };
}

interface RegisterOptions {
  readonly algorithm?: Algorithm;
  readonly lies?: Lies;
  readonly origin?: string;
}

export async function signIn(service: TestService, device: SoftAuthenticator, lies: Lies = {}) {
  const { body } = await post(service, '/v1/sessions/passkey/begin', {});
  const credential = device.get(body.options, lies);
  return { credential, reply: await post(service, '/v1/sessions/passkey/finish', { credential }) };
}

/** Somebody who has joined, with their passkey and session. */
export async function member(service: TestService, members: object = {}) {
  const { id, token } = await invite(service, members);
  const { device, reply } = await register(service, token);
  if (reply.status !== 201) throw new Error(reply.text);
  return { id, device, session: reply.body.session.token as string };
}
