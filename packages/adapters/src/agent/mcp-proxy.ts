/** `writecheck mcp-proxy`: starts an upstream MCP server and asks before every call that writes. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { oneLine, VERSION } from '@writecheck/contract';
import { CommandFailure, childEnvironment } from '@writecheck/contract/command';
import type { ReviewMode } from '../guard.ts';
import { toolMapOf } from '../mapping/index.ts';
import { clientFor } from './client-for.ts';
import { openPins } from './mcp-proxy-pins.ts';
import { createProxy } from './mcp-proxy-server.ts';
import { readMappingFile } from './read-mapping-file.ts';

/** The limit of one message from the host, with all its arguments. */
const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;

export interface McpProxyOptions {
  readonly mapping: string;
  readonly pins?: string;
  readonly url?: string;
  readonly key?: string;
  readonly review?: ReviewMode;
  readonly once?: boolean;
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
  const note = (line: string) => void process.stderr.write(`writecheck mcp-proxy: ${oneLine(line)}\n`);
  const proxy = createProxy({
    client: asking,
    ...toolMapOf(mapping, folder),
    review: options.review ?? 'tell',
    once: options.once ?? true,
    onStopped: ({ tool, decision, error }) => {
      note(`\`${tool}\` was not run: ${error instanceof Error ? error.message : decision.reason}`);
    },
    behind,
    pins,
    note,
  });
  try {
    await behind.connect(new StdioClientTransport({ command: command!, args, env: childEnvironment() }));
    await proxy.refresh();
  } catch (error) {
    await behind.close();
    if (error instanceof CommandFailure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // A bare name also causes EACCES if a folder of the PATH cannot be read.
    if (code === 'ENOENT' || (code === 'EACCES' && !command!.includes('/')))
      throw new CommandFailure(
        `the command \`${command}\` was not found; check its name, its path and the PATH`,
      );
    if (code === 'EACCES')
      throw new CommandFailure(
        `the command \`${command}\` cannot be run: permission denied; make it executable`,
      );
    throw new CommandFailure(
      `\`${command}\` started, but does not respond as an MCP server with tools; run it alone to see why`,
    );
  }
  const wire = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES_MAX });
  const front = serveStdio(() => proxy.makeServer(), {
    transport: wire,
    onerror: ({ message }) =>
      note(
        message.startsWith('ReadBuffer')
          ? `the host sent a message of more than ${MESSAGE_BYTES_MAX} bytes, so the proxy stops`
          : 'the host sent a message that is not JSON-RPC, so it gets no response',
      ),
  });
  behind.onclose = () => {
    note('the MCP server has ended; see its output above');
    process.exitCode = 1;
    void front.close();
  };
  const { onclose } = wire;
  wire.onclose = () => {
    onclose?.();
    // The SDK hangs up on a message that is too long. If the proxy stayed, every later call would get no response.
    if (!process.stdin.readableEnded) process.exitCode = 1;
    process.stdin.destroy();
    behind.onclose = () => {};
    void behind.close();
  };
}
