/**
 * The hook inside the real Claude Agent SDK. Its package includes the Claude Code program (366 MB), so it is not a
 * dependency: docs/decisions.md says how to run this. The program itself needs an account and a model, so a stand-in
 * speaks the SDK's protocol: it announces one tool call, and runs the tool unless a hook denies it.
 */
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe } from 'vitest';
import { preToolUse } from '../src/claude.ts';
import { ARGS, describeAdapter, type Loop } from './adapter-suite.ts';

interface ClaudeAgentSdk {
  query(call: { readonly prompt: string; readonly options: object }): AsyncIterable<{
    readonly type: string;
    readonly result?: string;
  }>;
}

/** The parts read here of what the SDK sends to the program, and of what a hook returns. */
interface FromSdk {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: {
    readonly subtype: string;
    readonly hooks?: { readonly PreToolUse?: readonly Matcher[] };
  };
  readonly response?: { readonly subtype: string; readonly response?: HookAnswer };
}
interface Matcher {
  readonly hookCallbackIds: readonly string[];
}
interface HookAnswer {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
  };
}

const session = { session_id: '00000000-0000-4000-8000-000000000000', uuid: crypto.randomUUID() };

/** Replaces the Claude Code program. */
function standIn(tool: string, write: Loop['write']) {
  const events = new EventEmitter();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const say = (message: object) => stdout.write(`${JSON.stringify(message)}\n`);
  let hookId: string | undefined;

  const end = (result: string) => {
    const told = {
      is_error: false,
      result,
      num_turns: 1,
      duration_ms: 1,
      duration_api_ms: 1,
      total_cost_usd: 0,
    };
    say({ type: 'result', subtype: 'success', ...told, usage: {}, permission_denials: [], ...session });
    stdout.end();
    process.exitCode = 0;
    events.emit('exit', 0, null);
  };
  const process = {
    stdin,
    stdout,
    killed: false,
    exitCode: null as number | null,
    kill: () => true,
    on: (name: string, listener: () => void) => void events.on(name, listener),
    once: (name: string, listener: () => void) => void events.once(name, listener),
    off: (name: string, listener: () => void) => void events.off(name, listener),
  };

  createInterface({ input: stdin }).on('line', async (line) => {
    const { type, request_id, request, response } = JSON.parse(line) as FromSdk;
    if (type === 'control_request') {
      hookId ??= request?.hooks?.PreToolUse?.[0]?.hookCallbackIds[0];
      const init = { commands: [], models: [], account: {}, hook_on_failure_supported: true };
      say({ type: 'control_response', response: { subtype: 'success', request_id, response: init } });
    } else if (type === 'user') {
      const cwd = import.meta.dirname;
      const input = { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: ARGS, cwd, ...session };
      const call = { subtype: 'hook_callback', callback_id: hookId, input, tool_use_id: 'toolu_1' };
      say({ type: 'control_request', request_id: 'hook-1', request: call });
    } else if (type === 'control_response') {
      // Laxer than the real host: a failing hook stops nothing, only a denial does.
      const answer = response?.response?.hookSpecificOutput;
      if (answer?.permissionDecision === 'deny') end(`denied: ${answer.permissionDecisionReason}`);
      else end(await write(ARGS));
    }
  });
  return process;
}

const path = process.env.WRITECHECK_TEST_CLAUDE_SDK ?? '';
const sdk = path === '' ? undefined : ((await import(path)) as ClaudeAgentSdk);

async function runLoop({ write, tool, intent, ...settings }: Loop): Promise<string> {
  const hook = preToolUse({ ...settings, write: { [tool]: intent } });
  const options = {
    hooks: { PreToolUse: [{ hooks: [hook], onFailure: 'block' }] },
    spawnClaudeCodeProcess: () => standIn(tool, write),
    pathToClaudeCodeExecutable: 'none',
  };
  let told = '';
  for await (const message of sdk!.query({ prompt: 'Ada has a new address', options })) {
    if (message.type === 'result') told += message.result;
  }
  return told;
}

describe.skipIf(sdk === undefined)('with WRITECHECK_TEST_CLAUDE_SDK', () => {
  describeAdapter('the hook in the Claude Agent SDK', runLoop);
});
