/** An agent with one tool that writes to a CRM, and the guard around that tool. */
import { guardTool } from '@writecheck/adapters/ai-sdk';
import type { Client } from '@writecheck/client';
import { generateText, isStepCount, type LanguageModel, tool } from 'ai';
import { z } from 'zod';

export interface AgentParts {
  readonly model: LanguageModel;
  readonly client: Client;
  readonly crm: Map<string, string>;
}

export async function runAgent({ model, client, crm }: AgentParts, prompt: string): Promise<string> {
  const updateEmail = tool({
    description: 'Set the e-mail address of a contact',
    inputSchema: z.object({ id: z.string(), email: z.email() }),
    execute: async ({ id, email }) => {
      crm.set(id, email);
      return `the e-mail address of ${id} is ${email} now`;
    },
  });

  const { text } = await generateText({
    model,
    prompt,
    stopWhen: isStepCount(4),
    tools: {
      // If the write pauses, the guard opens a review. The same call succeeds once a person has approved it.
      update_email: guardTool(updateEmail, {
        name: 'update_email',
        client,
        intent: ({ id, email }) => ({
          system: 'crm',
          objectType: 'contact',
          objectRef: id,
          field: 'email',
          agentValue: email,
          controlEvidence: [
            { controlId: 'identity', source: 'session', result: 'PASS', checkedAt: new Date().toISOString() },
          ],
          metadata: { agent: 'crm-agent' },
        }),
      }),
    },
  });
  return text;
}
