/** Names tool calls, so that all runs of one call reach one allow and two different calls never share one. */
import { ALLOW_MS_MAX } from '@writecheck/contract';

/** A counted id without the tool's name: a word, then a number. */
const COUNTED = /^[^0-9]*[0-9]{1,6}$/;

const here = crypto.getRandomValues(new Uint32Array(4)).join('-');
const running = new Set<string>();
/** Until when each call's allow may be valid; after that no name brings it back. Oldest first. */
const done = new Map<string, number>();

/**
 * The name of a call from the framework's id; `thread` is the conversation, if the framework names it. Providers draw
 * most ids at random. A counted id (`call_1`, `functions.refund:0`) comes back in every conversation: without a thread,
 * it is valid in this process only.
 */
export function callIdFrom(tool: string, id: unknown, thread: unknown = ''): string | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const isElsewhere = (thread ?? '') !== '' || !COUNTED.test(id.replaceAll(tool, ''));
  return JSON.stringify([isElsewhere ? '' : here, thread, tool, id]);
}

/** A name that is valid in this process only. */
export function callIdHere(...parts: readonly string[]): string {
  return JSON.stringify([here, ...parts]);
}

export interface Turn {
  /** Undefined if another call has the name: this call is decided separately. */
  readonly callId?: string | undefined;
  /** `isFree`: the call had no effect, so a repeat may use the same allow. */
  end(isFree: boolean): void;
}

/** INVARIANT: in this process an allow serves one call, which ran to its end or may still be running. */
export function takeTurn(callId: string | undefined): Turn {
  if (callId === undefined || isTaken(callId)) return { end() {} };
  running.add(callId);
  return {
    callId,
    end(isFree) {
      running.delete(callId);
      if (!isFree) done.set(callId, performance.now() + ALLOW_MS_MAX);
    },
  };
}

/** Whether another call with this name is running or has run, so that this one cannot share its allow. */
function isTaken(callId: string): boolean {
  const nowMs = performance.now();
  for (const [name, untilMs] of done) {
    if (untilMs > nowMs) break;
    done.delete(name);
  }
  return running.has(callId) || done.has(callId);
}
