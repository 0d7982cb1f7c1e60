/** Names tool calls, so that a repeated one gets its allow again and two different ones never share it. */

/** An allow lasts 5 minutes at most; after that no name can bring it back. */
const ALLOW_MS_MAX = 5 * 60_000;
const DRAWN_CHARACTERS = 16;

const here = crypto.getRandomValues(new Uint32Array(4)).join('-');
const running = new Set<string>();
/** By name, until when its allow may be valid; the oldest first. */
const done = new Map<string, number>();

/**
 * The name of a call from the framework's id; `thread` is the conversation, if the framework names it. Providers draw most
 * ids at random. A counted one (`call_1`, `functions.refund:0`) comes back in every run, so it holds in this process only.
 */
export function callIdFrom(tool: string, id: unknown, thread: unknown = ''): string | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const drawn = id.replaceAll(tool, '').replace(/[^A-Za-z0-9]/g, '');
  return JSON.stringify([drawn.length < DRAWN_CHARACTERS ? here : '', thread, tool, id]);
}

/** A name that holds in this process only. */
export function callIdHere(...parts: readonly string[]): string {
  return JSON.stringify([here, ...parts]);
}

export interface Turn {
  /** Undefined if another call has the name: this one is decided on its own. */
  readonly callId?: string;
  /** `isFree`: nothing came of the call, so a repeat may have the same allow. */
  end(isFree: boolean): void;
}

/**
 * INVARIANT: in this process an allow serves one call that ran to its end or may still be running. `write` is the digest of
 * what is written: two runs may count their calls alike and write different things.
 */
export function takeTurn(callId: string | undefined, write: string): Turn {
  const turn = `${write} ${callId}`;
  const nowMs = performance.now();
  for (const [name, untilMs] of done) {
    if (untilMs > nowMs) break;
    done.delete(name);
  }
  if (callId === undefined || running.has(turn) || done.has(turn)) return { end() {} };
  running.add(turn);
  return {
    callId,
    end(isFree) {
      running.delete(turn);
      if (!isFree) done.set(turn, performance.now() + ALLOW_MS_MAX);
    },
  };
}
