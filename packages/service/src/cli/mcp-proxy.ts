/** `writecheck mcp-proxy`: starts an MCP server behind itself and asks before every call that writes. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toolMapOf } from '@writecheck/adapters/mapping';
import { VERSION } from '../version.ts';
import { clientFor } from './check.ts';
import { CommandFailure } from './fail.ts';
import { openPins } from './mcp-proxy-pins.ts';
import { createProxy } from './mcp-proxy-server.ts';
import { readMappingFile } from './read-mapping-file.ts';

export interface McpProxyOptions {
  readonly mapping: string;
  readonly pins?: string;
  readonly url?: string;
  readonly key?: string;
}

export async function mcpProxy(
  [command, ...args]: readonly string[],
  options: McpProxyOptions,
): Promise<void> {
  const { mapping, folder } = await readMappingFile(options.mapping);
  const asking = clientFor(options);
  const pins = openPins(options.pins ?? `${options.mapping}.pins.json`);
  const behind = new Client(
    { name: 'writecheck-mcp-proxy', version: VERSION },
    { listChanged: { tools: { autoRefresh: false, onChanged: () => void proxy.changed().catch(() => {}) } } },
  );
  const note = (line: string) => void process.stderr.write(`writecheck mcp-proxy: ${line}\n`);
  const proxy = createProxy({
    client: asking,
    ...toolMapOf(mapping, folder),
    onStopped: ({ tool, decision, error }) => {
      note(`\`${tool}\` was not run: ${error instanceof Error ? error.message : decision.reason}`);
    },
    behind,
    pins,
    note,
  });
  try {
    await behind.connect(new StdioClientTransport({ command: command!, args, env: environment() }));
    await proxy.refresh();
  } catch (error) {
    await behind.close();
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(
      `the server behind (\`${command}\`) does not answer as an MCP server with tools`,
    );
  }
  const front = serveStdio(() => proxy.makeServer());
  behind.onclose = () => {
    note('the server behind has ended');
    process.exitCode = 1;
    void front.close();
  };
  process.stdin.once('close', () => {
    behind.onclose = () => {};
    void behind.close();
  });
}

/** The server behind gets the environment it would have had, but not the key. */
function environment(): Record<string, string> {
  const { WRITECHECK_API_KEY: _, ...rest } = process.env;
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
