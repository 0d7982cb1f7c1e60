/** Reads which agents were stopped lately. */
import { type Reply, success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { toldApart } from '../decision/details.ts';
import { scanDecisions } from '../decision/scan-decisions.ts';
import { lastDay, type Stops, stopsOf } from './agent-stops.ts';

export async function agentStops(signal: AbortSignal): Promise<Reply<Stops>> {
  const { from, since } = lastDay(await nowThere(signal));
  const asked = { from: new Date(from).toISOString() };
  const [paused, blocked] = await Promise.all([
    scanDecisions({ decision: 'pause', ...asked }, signal),
    scanDecisions({ decision: 'block', ...asked }, signal),
  ]);
  if (paused.kind === 'failure') return paused;
  if (blocked.kind === 'failure') return blocked;
  const stopped = await toldApart([...paused.value.rows, ...blocked.value.rows], signal);
  const agents = stopsOf(stopped, since);
  const isComplete = paused.value.isComplete && blocked.value.isComplete;
  return success({ agents, since: new Date(since).toISOString(), isComplete });
}
