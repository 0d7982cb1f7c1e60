/** Names tool calls, so that a repeated call gets its allow again and two different calls never share one. */

/** An allow lasts 5 minutes at most; after that no name can bring it back. */
const ALLOW_MS_MAX = 5 * 60_000;
const DRAWN_CHARACTERS = 16;

const here = crypto.getRandomValues(new Uint32Array(4)).join('-');
const running = new Set<string>();
/** By name, until when its allow may be valid; the oldest first. */
const done = new Map<string, number>();

/**
 * The name of a call from the framework's id; `thread` is the conversation, if the framework names it. Providers draw
 * most ids at random. A counted id (`call_1`, `functions.refund:0`) comes back in every run, so it is valid in this
 * process only.
 */
export function callIdFrom(tool: string, id: unknown, thread: unknown = ''): string | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const drawn = id.replaceAll(tool, '').replace(/[^A-Za-z0-9]/g, '');
  return JSON.stringify([drawn.length < DRAWN_CHARACTERS ? here : '', thread, tool, id]);
}

/** A name that is valid in this process only. */
export function callIdHere(...parts: readonly string[]): string {
  return JSON.stringify([here, ...parts]);
}

export interface Turn {
  /** Undefined if another call has the name: this call is decided on its own. */
  readonly callId?: string;
  /** `isFree`: the call had no effect, so a repeat may use the same allow. */
  end(isFree: boolean): void;
}

/**
 * INVARIANT: in this process an allow serves one call that ran to its end or may still be running. `write` is the
 * digest of what is written: two runs may number their calls the same way and write different things.
 */
export function takeTurn(callId: string | undefined, write: string): Turn {
  if (callId === undefined || isTaken(callId, write)) return { end() {} };
  const turn = `${write} ${callId}`;
  running.add(turn);
  return {
    callId,
    end(isFree) {
      running.delete(turn);
      if (!isFree) done.set(turn, performance.now() + ALLOW_MS_MAX);
    },
  };
}

/** Whether another call with this name is running or has run, so that this one cannot share its allow. */
export function isTaken(callId: string, write: string): boolean {
  const nowMs = performance.now();
  for (const [name, untilMs] of done) {
    if (untilMs > nowMs) break;
    done.delete(name);
  }
  const turn = `${write} ${callId}`;
  return running.has(turn) || done.has(turn);
}
