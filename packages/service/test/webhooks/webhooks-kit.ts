/** Webhooks over HTTP: real receivers on loopback, and a service that may reach them. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { openReviewKit, type ReviewKit } from '../reviews/reviews-kit.ts';

export interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came.
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Its response: a status, headers with it, or nothing at all. */
  answer: number | { readonly status: number; readonly headers: Record<string, string> } | 'hang';
  /** Resolves once it received this many in total. */
  until(count: number): Promise<readonly Received[]>;
  ofType(type: string): readonly Received[];
  untilType(type: string, count?: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

const WAIT_MS = 25_000;

export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const endMs = performance.now() + WAIT_MS; ; ) {
    if (await isTrue()) return;
    if (performance.now() > endMs) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function openReceiver(
  tls: { readonly key: string; readonly cert: string } | null = null,
): Promise<Receiver> {
  const received: Received[] = [];
  const held: object[] = [];
  const listener: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    received.push({ headers: request.headers, text, body: JSON.parse(text) });
    const { answer } = receiver;
    if (answer === 'hang') {
      held.push(response);
      return;
    }
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, headers).end();
  };
  const server: Server = tls === null ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}/hook?token=hidden`,
    received,
    answer: 200,
    async until(count) {
      await until(() => received.length >= count, `${count} messages`);
      return received;
    },
    ofType: (type) => received.filter(({ body }) => body.type === type),
    async untilType(type, count = 1) {
      await until(() => receiver.ofType(type).length >= count, `${count} of ${type}`);
      return receiver.ofType(type);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export interface Made {
  readonly id: string;
  readonly secret: string;
}

export const openWebhookKit = (settings: object = {}): Promise<ReviewKit> =>
  openReviewKit({ webhookAllow: '127.0.0.1', ...settings });

export async function makeWebhook(
  { call, service }: Pick<ReviewKit, 'call' | 'service'>,
  url: string,
  events: readonly string[],
  members: object = {},
  key = service.ownerKey,
): Promise<Made> {
  const { status, body, text } = await call('POST', '/v1/webhooks', key, { url, events, ...members });
  if (status !== 201) throw new Error(text);
  return { id: body.webhook.id, secret: body.secret };
}

export async function deliveriesOf({ call, service }: ReviewKit, id: string, key = service.ownerKey) {
  const { body } = await call('GET', `/v1/webhooks/${id}/deliveries`, key);
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  return body.deliveries as any[];
}
