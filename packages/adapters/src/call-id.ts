/** Names tool calls, so that all runs of one call reach one allow and two different calls never share one. */
/** A counted id without the tool's name: a word, then a number. */
const COUNTED = /^[^0-9]*[0-9]{1,6}$/;

const here = crypto.getRandomValues(new Uint32Array(4)).join('-');

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
