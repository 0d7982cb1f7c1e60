/** One attempt to deliver: posts the body and reports how the endpoint responded. */
import { VERSION } from '@writecheck/contract';
import { type Dispatcher, request } from 'undici';
import { AddressRefused, ANSWER_WITHIN_MS } from './connect.ts';

export interface Message {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export interface Attempt {
  readonly isDelivered: boolean;
  /** Null if there was no response. */
  readonly status: number | null;
  /** The delay that the endpoint named in `Retry-After`, if any. */
  readonly retryAfterMs: number | null;
  /** A word for logs; null if it was delivered. */
  readonly failure: 'status' | 'redirect' | 'address' | 'timeout' | 'connection' | 'secret' | null;
}

export type Send = (message: Message, nowMs: number) => Promise<Attempt>;

/** How much of a response is read so that its connection can be used again. */
const BODY_READ_MAX = 16 * 1_024;

export function sendThrough(dispatcher: Dispatcher, withinMs = ANSWER_WITHIN_MS): Send {
  return async ({ url, headers, body }, nowMs) => {
    const signal = AbortSignal.timeout(withinMs);
    try {
      const response = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': `writecheck-webhooks/${VERSION}`,
          ...headers,
        },
        body,
        dispatcher,
        signal,
      });
      const { statusCode: status, headers: answered } = response;
      // Nobody reads it; a body that never ends must not hold the connection.
      response.body.dump({ limit: BODY_READ_MAX, signal }).catch(() => undefined);
      const isDelivered = status >= 200 && status < 300;
      const isRedirect = status >= 300 && status < 400;
      return {
        isDelivered,
        status,
        retryAfterMs: isDelivered ? null : retryAfter(answered['retry-after'], nowMs),
        failure: isDelivered ? null : isRedirect ? 'redirect' : 'status',
      };
    } catch (error) {
      return { isDelivered: false, status: null, retryAfterMs: null, failure: failureOf(error, signal) };
    }
  };
}

function failureOf(error: unknown, signal: AbortSignal): 'address' | 'timeout' | 'connection' {
  if (error instanceof AddressRefused) return 'address';
  const { code } = error as { readonly code?: unknown };
  return signal.aborted || code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout' : 'connection';
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds or an HTTP date. */
export function retryAfter(header: string | readonly string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
