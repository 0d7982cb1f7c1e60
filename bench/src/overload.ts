/** `npm run torture -- overload [seconds] [retryMs]`: ten times the connections that keep the service busy. */
import { benchBody, prepare } from './service.ts';
import { startLoad, startService } from './service-processes.ts';

const BUSY_CONNECTIONS = 64;
const TIMES = 10;
const REFUSED_WITHIN_MS = 50;
/** By default a refused client retries long before the second that `Retry-After` asks for. */
const IMPATIENT_MS = 50;

export const torture = async (args: readonly string[]) => {
  const seconds = Number(args[0] ?? 60);
  const retryAfterMs = Number(args[1] ?? IMPATIENT_MS);
  const service = await startService();
  const load = await startLoad();
  const { request } = await prepare(service, benchBody());
  const order = { port: service.port, request, warmUpMs: 2_000 };
  await load.apply({ ...order, connections: BUSY_CONNECTIONS, measureMs: 2_000 });
  const busy = await load.apply({ ...order, connections: BUSY_CONNECTIONS, measureMs: 10_000 });
  const over = await load.apply({
    ...order,
    connections: BUSY_CONNECTIONS * TIMES,
    measureMs: seconds * 1_000,
    retryAfterMs,
  });
  await Promise.all([load.stop(), service.stop()]);
  const faults: string[] = [];
  if (over.refused.p99Ms > REFUSED_WITHIN_MS) {
    faults.push(`one refusal in a hundred took longer than ${over.refused.p99Ms.toFixed(1)} ms`);
  }
  if (over.p99Ms > 2 * busy.p99Ms) {
    faults.push(`p99 of admitted requests rose from ${busy.p99Ms.toFixed(1)} to ${over.p99Ms.toFixed(1)} ms`);
  }
  if (over.refused.count === 0) faults.push('no request was refused, so this was not an overload');
  const figures = [
    `${BUSY_CONNECTIONS} connections: ${Math.round(busy.perSecond)} a second, p99 ${busy.p99Ms.toFixed(1)} ms`,
    `${BUSY_CONNECTIONS * TIMES}: ${Math.round(over.perSecond)} a second, p99 ${over.p99Ms.toFixed(1)} ms`,
    `${over.refused.count} refused, p99 ${over.refused.p99Ms.toFixed(1)} ms, longest ${over.refused.longestMs.toFixed(1)} ms`,
  ];
  return {
    claim: `under ${TIMES} times the load, refusals take at most ${REFUSED_WITHIN_MS} ms and admitted requests at most twice as long`,
    count: `${seconds} s, retries after ${retryAfterMs} ms; ${figures.join('; ')}`,
    seed: 'none',
    faults,
  };
};
