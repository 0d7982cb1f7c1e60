import { createClient } from '@writecheck/client';
import { describe, expect, it } from 'vitest';
import { answerWith, startHostileServer } from '../../../conformance/client-kit/index.ts';
import { ARGS, describeAdapter, intentOf, type Loop, TOOL } from '../test/adapter-suite.ts';
import { describeRepeats } from '../test/repeat-suite.ts';
import { describeReviews } from '../test/review-suite.ts';
import { type HookInput, preToolUse } from './claude.ts';

/** The host's part, as in its documentation: the tool runs unless a hook denies it. */
async function runLoop({ write, tool, intent, ...settings }: Loop, id = 'toolu_1'): Promise<string> {
  const hook = preToolUse({ ...settings, write: { [tool]: intent } });
  const output = await hook({
    hook_event_name: 'PreToolUse',
    session_id: 's-1',
    tool_use_id: id,
    tool_name: tool,
    tool_input: ARGS,
  });
  return 'hookSpecificOutput' in output ? JSON.stringify(output) : write(ARGS);
}

describeAdapter('the Claude PreToolUse hook', (loop) => runLoop(loop));
describeReviews('the Claude PreToolUse hook', (id) => (loop) => runLoop(loop, id));
describeRepeats('the Claude PreToolUse hook', (id) => (loop) => runLoop(loop, id));

describe('preToolUse', () => {
  const nobody = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200, retries: 0 });
  const hook = preToolUse({ client: nobody, write: { [TOOL]: intentOf }, read: ['Read'] });
  const denied = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };

  it('lets a tool that is listed as read run without a check', async () => {
    expect(await hook({ hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} })).toEqual({});
  });

  it('never returns the allow that would skip the question to the user', async () => {
    const server = await startHostileServer(answerWith({}), 2000);
    const client = createClient({ apiKey: 'k', baseUrl: server.baseUrl });
    const allowed = await preToolUse({ client, write: { [TOOL]: intentOf } })({
      hook_event_name: 'PreToolUse',
      tool_name: TOOL,
      tool_input: ARGS,
    });
    await server.close();
    expect(allowed).toEqual({});
  });

  it.each([
    ['a tool in no list', { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} }],
    [
      'a tool named like a member of every object',
      { hook_event_name: 'PreToolUse', tool_name: 'constructor' },
    ],
    ['another event', { hook_event_name: 'PostToolUse', tool_name: 'Read' }],
    ['no tool', { hook_event_name: 'PreToolUse' }],
    ['nothing', undefined],
    ['null', null],
  ])('denies %s', async (_, input) => {
    expect(await hook(input as unknown as HookInput)).toMatchObject(denied);
  });
});
