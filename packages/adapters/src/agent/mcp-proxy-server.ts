/** The server that an agent sees in front of another: shows the mapped tools, and asks before every write. */
import type { Client as McpClient, Tool } from '@modelcontextprotocol/client';
import { type CallToolResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import { type AllowDecision, NotWritten } from '@writecheck/client';
import { given, shown, VERSION } from '@writecheck/contract';
import { type GuardSettings, guardMapped, type ToolMap } from '../guard.ts';
import { reportWaiting } from './mcp-progress.ts';
import type { Pins } from './mcp-proxy-pins.ts';

export interface ProxySettings extends GuardSettings, ToolMap {
  /** The upstream server, connected. Its names and hints are not trusted. */
  readonly behind: Pick<McpClient, 'listTools' | 'callTool'>;
  readonly pins: Pins;
  /** Logs a line for the operator. */
  readonly note: (line: string) => void;
}

/** The agent's host has its own deadline and cancels; this one must not cut a long write in half. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface Proxy {
  makeServer(): Server;
  /** Lists the upstream tools; rejects if that fails. */
  refresh(): Promise<void>;
  /** The upstream server reports changed tools: none runs until the new list is known. */
  changed(): Promise<void>;
}

export function createProxy(settings: ProxySettings): Proxy {
  const { behind, pins, write, read = [] } = settings;
  const noted = new Set<string>();
  let offered: ReadonlyMap<string, Tool> | undefined;
  let newest = 0;

  async function refresh(): Promise<void> {
    newest += 1;
    const mine = newest;
    const { tools } = await behind.listTools(undefined, { cacheMode: 'refresh' });
    // The listing requested last counts, even if it arrives first.
    if (mine !== newest) return;
    offered = new Map(tools.filter(isOffered).map((tool) => [tool.name, tool]));
  }

  /** The host lists tools with every question; an error is reported once. */
  function noteOnce(line: string): void {
    if (noted.has(line)) return;
    noted.add(line);
    settings.note(line);
  }

  function isOffered(tool: Tool): boolean {
    if (!Object.hasOwn(write, tool.name) && !read.includes(tool.name)) {
      noteOnce(`\`${shown(tool.name)}\` is neither mapped nor listed as read, so it is not offered`);
      return false;
    }
    if (pins.holds(tool)) return true;
    noteOnce(
      `\`${shown(tool.name)}\` has changed since it was pinned, so it is not offered; review it, then remove its pin`,
    );
    return false;
  }

  async function call(
    name: string,
    args: Record<string, unknown>,
    host: ServerContext,
    callId: string | undefined,
  ): Promise<CallToolResult> {
    if (offered === undefined) await refresh();
    const { signal } = host.mcpReq;
    let endWait = (): void => {};
    let withdrawn: NotWritten | undefined;
    const run = (decision?: AllowDecision) => {
      // Progress of the write itself is the upstream server's to report.
      endWait();
      // It may have changed while the check was in progress.
      if (!offered?.has(name)) {
        withdrawn = new NotWritten(`the tool \`${shown(name)}\` is not offered`);
        return refused(withdrawn.message);
      }
      const _meta = decision === undefined ? {} : { _meta: metaOf(decision) };
      return behind.callTool({ name, arguments: args, ..._meta }, { signal, timeout: NO_TIMEOUT_MS });
    };
    // A tool that is not offered needs no check, and must not cost one.
    if (!offered?.has(name)) return run();
    if (settings.review === 'wait') endWait = reportWaiting(host);
    const guarded = await guardMapped(settings, {
      tool: name,
      args,
      callId,
      run,
      hasFailed: ({ isError }) => isError === true,
      thrown: () => withdrawn,
      signal,
    }).finally(endWait);
    return guarded.kind === 'executed' ? guarded.result : refused(guarded.stopped.message);
  }

  return {
    refresh,
    async changed() {
      offered = undefined;
      await refresh();
    },
    makeServer() {
      const server = new Server(
        { name: 'writecheck-mcp-proxy', version: VERSION },
        { capabilities: { tools: {} } },
      );
      server.setRequestHandler('tools/list', async () => {
        await refresh();
        return { tools: [...(offered?.values() ?? [])].map(withoutHints) };
      });
      server.setRequestHandler('tools/call', ({ params }, host) =>
        call(params.name, params.arguments ?? {}, host, callIdIn(params)),
      );
      return server;
    },
  };
}

/**
 * MCP has no id that stays the same when a call is repeated: a host numbers its requests and never reuses a
 * number. A host that repeats calls must name them itself.
 */
function callIdIn({
  name,
  _meta,
}: {
  readonly name: string;
  readonly _meta?: Record<string, unknown> | undefined;
}) {
  const id = _meta?.['writecheck/call_id'];
  return typeof id === 'string' && id !== '' ? JSON.stringify(['mcp', name, id]) : undefined;
}

/** Tells an upstream server the decision behind its call, which it may redeem. */
function metaOf({ decision_id }: AllowDecision): Record<string, unknown> {
  return given({ 'writecheck/decision_id': decision_id });
}

/** A host may skip its own question for a tool that calls itself harmless. */
function withoutHints({ name, title, description, inputSchema, outputSchema }: Tool): Tool {
  return {
    name,
    inputSchema,
    ...given({ title, description, outputSchema }),
  };
}

function refused(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
