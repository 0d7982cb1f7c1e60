/** Claude Code and the Claude Agent SDK: a PreToolUse hook that denies every tool call without an allow. */
import type { AbortSignalLike } from '@writecheck/client';
import type { GuardSettings } from './guard-call.ts';
import { guardMapped, type ToolMap } from './tool-map.ts';

export type { GuardSettings, NamedCall, ReviewedCall, ReviewMode, StoppedCall } from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { withArguments } from './name-write.ts';
export type { IntentFromArgs, ToolMap } from './tool-map.ts';

export interface PreToolUseOptions extends GuardSettings, ToolMap {}

/** The part of the host's hook input that is read here. It is not trusted. */
export interface HookInput {
  readonly hook_event_name?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly session_id?: string;
  readonly tool_use_id?: string;
}

export type HookOutput = Permitted | Denied;

/**
 * No opinion: the host continues with its own permission rules.
 * INVARIANT: never `permissionDecision: 'allow'`, which would skip the question to the person at the keyboard.
 */
export type Permitted = Record<string, never>;

export interface Denied {
  readonly hookSpecificOutput: {
    readonly hookEventName: 'PreToolUse';
    /** Used for a pause too: `ask` would let the person at the keyboard approve it. */
    readonly permissionDecision: 'deny';
    readonly permissionDecisionReason: string;
  };
}

/** Give it to the SDK as `hooks: { PreToolUse: [{ hooks: [preToolUse(...)] }] }`. Never rejects. */
export function preToolUse(options: PreToolUseOptions) {
  return async (
    input: HookInput,
    _toolUseId?: string,
    host?: { readonly signal?: AbortSignalLike },
  ): Promise<HookOutput> => {
    try {
      const { hook_event_name: event, tool_name: tool, tool_input: args } = input;
      if (event !== 'PreToolUse' || typeof tool !== 'string') {
        return deny('this hook was not called with a PreToolUse event; register it for PreToolUse');
      }
      // The host runs the tool, so its outcome is unknown here.
      const guarded = await guardMapped(
        { ...options, outcomes: false },
        {
          tool,
          args,
          context: input,
          callId: callIdOf(input),
          run: () => {},
          signal: host?.signal,
        },
      );
      return guarded.kind === 'executed' ? {} : deny(guarded.stopped.message);
    } catch {
      // A host may treat a broken hook as no opinion and run the tool.
      return deny('the check failed inside the hook, so the tool must not run');
    }
  };
}

/** Unique together: the host generates the session's id, and the provider the id of the tool use. */
function callIdOf({ session_id: session, tool_use_id: id }: HookInput): string | undefined {
  return typeof session === 'string' && typeof id === 'string' ? JSON.stringify([session, id]) : undefined;
}

function deny(permissionDecisionReason: string): Denied {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
  };
}
