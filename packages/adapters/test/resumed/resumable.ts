/**
 * A run in a framework that is saved as text before its tool call, and can be resumed from it in any number of
 * processes. Each resumption makes the framework run the same call again.
 */
import type { Client } from '@writecheck/client';
import { z } from 'zod';

export interface Resumable {
  readonly client: Client;
  readonly write: (args: unknown) => string;
}

export interface Framework {
  /** Runs up to the tool call of this id. */
  begin(parts: Resumable, callId: string): Promise<string>;
  /** What the model saw in the end. */
  resume(parts: Resumable, saved: string): Promise<string>;
}

export const TOOL = 'update_contact';
export const ARGS = { id: 'c-1042', email: 'ada@example.org' };
export const ASKED = 'update the contact';
export const schema = z.object({ id: z.string(), email: z.string() });

export function intent(args: unknown) {
  const { id, email } = args as typeof ARGS;
  const target = { system: 'crm', objectType: 'contact', objectRef: id, field: 'email', agentValue: email };
  return { ...target, controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS' }] };
}
