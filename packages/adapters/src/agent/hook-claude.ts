/**
 * `writecheck hook claude`: the PreToolUse hook of Claude Code, in which exit code 2 blocks and stderr is the reason.
 */
import { arrayBuffer } from 'node:stream/consumers';
import { parseStrictJson } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { type HookInput, preToolUse } from '../claude.ts';
import { toolMapOf } from '../mapping/index.ts';
import { clientFor } from './client-for.ts';
import { permit } from './hook-claude-exit.ts';
import type { McpProxyOptions } from './mcp-proxy.ts';
import { readMappingFile } from './read-mapping-file.ts';

const DEPTH_MAX = 256;

type HookOptions = Pick<McpProxyOptions, 'mapping' | 'url' | 'key' | 'review'>;

export async function hookClaude(options: HookOptions): Promise<void> {
  const { mapping, folder } = await readMappingFile(options.mapping);
  const hook = preToolUse({
    client: clientFor(options),
    ...toolMapOf(mapping, folder),
    review: options.review ?? 'tell',
    onStopped: ({ error }) => {
      if (error instanceof Error) process.stderr.write(`${error.message}\n`);
    },
  });
  const output = await hook(parseInput(new Uint8Array(await arrayBuffer(process.stdin))));
  if ('hookSpecificOutput' in output) {
    throw new CommandFailure(output.hookSpecificOutput.permissionDecisionReason);
  }
  permit();
}

/** Parsed strictly: if a tool is named twice, another reader may see the other name. */
function parseInput(bytes: Uint8Array): HookInput {
  const parsed = parseStrictJson(bytes, DEPTH_MAX);
  if (parsed.kind === 'json') return parsed.value as unknown as HookInput;
  throw new CommandFailure(
    `the hook input on stdin is not strict JSON, so the tool must not run: ${parsed.message}`,
  );
}
