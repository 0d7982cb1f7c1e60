/** `writecheck hook claude`: the PreToolUse hook of Claude Code, for whom exit code 2 blocks and stderr is the reason. */
import { text } from 'node:stream/consumers';
import { type HookInput, preToolUse } from '@writecheck/adapters/claude';
import { toolMapOf } from '@writecheck/adapters/mapping';
import { clientFor } from './check.ts';
import { CommandFailure } from './fail.ts';
import { permit } from './hook-claude-exit.ts';
import { readMappingFile } from './read-mapping-file.ts';

export async function hookClaude(options: {
  readonly mapping: string;
  readonly url?: string;
  readonly key?: string;
}): Promise<void> {
  const { mapping, folder } = await readMappingFile(options.mapping);
  const hook = preToolUse({
    client: clientFor(options),
    ...toolMapOf(mapping, folder),
    onStopped: ({ error }) => {
      if (error instanceof Error) process.stderr.write(`${error.message}\n`);
    },
  });
  const output = await hook(parseInput(await text(process.stdin)));
  if ('hookSpecificOutput' in output) {
    throw new CommandFailure(output.hookSpecificOutput.permissionDecisionReason);
  }
  permit();
}

function parseInput(json: string): HookInput {
  try {
    return JSON.parse(json);
  } catch {
    throw new CommandFailure('the hook input on stdin is not JSON, so the tool must not run');
  }
}
