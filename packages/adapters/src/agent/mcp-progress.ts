/** Tells an MCP host that a call is still waiting for its decision, so that the host does not give up on it. */
import type { ServerContext } from '@modelcontextprotocol/server';

/** Less than any timeout that a host would choose. */
const EVERY_MS = 1000;

/** Sends progress, if the host asked for it, until the returned function is called. */
export function reportWaiting({ mcpReq }: Pick<ServerContext, 'mcpReq'>): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const report = (): void => {
    progress += 1;
    const params = { progressToken, progress, message: 'waiting for a decision' };
    // A host that is gone needs no progress; the call itself ends by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  report();
  const timer = setInterval(report, EVERY_MS);
  return () => clearInterval(timer);
}
