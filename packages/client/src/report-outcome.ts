/** Reports the outcome of the write to the service. Nobody waits for it, and nothing depends on it. */
import type { OutcomeResult } from '@writecheck/contract';
import type { AllowDecision } from './decision-types.ts';
import type { FetchInit, FetchResponse } from './platform.ts';
import { isDecisionId } from './redeem.ts';
import type { Settings } from './settings.ts';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const ANSWER_BYTES_MAX = 65_536;

/** Returns immediately. INVARIANT: no text of an error is sent, because it may hold anything. */
export function reportOutcome(
  settings: Settings,
  { decision_id: id }: AllowDecision,
  result: OutcomeResult,
): void {
  if (!isDecisionId(id)) return;
  const path = `/v1/decisions/${id}/outcome`;
  // Whatever fails here, the write is over and its result goes to the caller.
  void (async () => {
    const release = releaseSocket(path);
    await attempts(settings, path, JSON.stringify({ result })).finally(release);
  })().catch(() => {});
}

async function attempts({ fetch, ...settings }: Settings, path: string, body: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0)
      await new Promise<void>((resolve) => later(resolve, FIRST_PAUSE_MS * 4 ** (attempt - 1)));
    const stop = new AbortController();
    const timer = later(() => stop.abort(), settings.timeoutMs);
    try {
      const response = await fetch(`${settings.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${settings.apiKey}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        body,
        redirect: 'manual',
        signal: stop.signal as FetchInit['signal'],
      });
      await drain(response.body);
      // Anything else is final, including 404 from a service without outcomes.
      if (response.status < 500 && response.status !== 429) return;
    } catch {
      // An outage: try again.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A response that is read to its end leaves its connection to the next request. */
async function drain(body: FetchResponse['body']): Promise<void> {
  const reader = body?.getReader();
  for (let left = ANSWER_BYTES_MAX; left > 0; ) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) return;
    left -= chunk.byteLength;
  }
  await reader?.cancel();
}

/** A timer that does not keep the process alive. */
function later(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}

interface Handle {
  ref(): void;
  unref(): void;
}
interface Sent {
  readonly request: { readonly path?: unknown };
  readonly socket?: Handle;
}
interface Channels {
  subscribe(name: string, listener: (message: Sent) => void): void;
  unsubscribe(name: string, listener: (message: Sent) => void): void;
}

/**
 * While a report waits for its response, the socket would keep a process of Node alive, and `fetch` has no option for
 * that. Its diagnostics channel names the socket. The socket is put back before another request can use it.
 */
function releaseSocket(path: string): () => void {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const channels = process?.getBuiltinModule?.('diagnostics_channel') as Channels | undefined;
  if (channels === undefined) return () => {};
  const sockets = new Map<unknown, Handle>();
  const onSent = ({ request, socket }: Sent): void => {
    if (typeof request.path !== 'string' || !request.path.endsWith(path) || socket === undefined) return;
    socket.unref();
    sockets.set(request, socket);
  };
  const onEnd = ({ request }: Sent): void => {
    sockets.get(request)?.ref();
    sockets.delete(request);
  };
  channels.subscribe('undici:client:sendHeaders', onSent);
  channels.subscribe('undici:request:trailers', onEnd);
  channels.subscribe('undici:request:error', onEnd);
  return () => {
    channels.unsubscribe('undici:client:sendHeaders', onSent);
    channels.unsubscribe('undici:request:trailers', onEnd);
    channels.unsubscribe('undici:request:error', onEnd);
  };
}
