/** Loads the HTTP client of webhooks when the first message goes out: it takes time and memory, and few need it. */
import type { AllowedTargets } from '../../support/config/allowed-targets.ts';
import type { Send } from './send.ts';

export interface Sender {
  readonly send: Send;
  readonly close: () => Promise<void>;
}

export function openSender(allowed: AllowedTargets): Sender {
  let opened: Promise<Sender> | null = null;
  return {
    send: async (message, nowMs) => {
      opened ??= open(allowed).catch((error) => {
        opened = null;
        throw error;
      });
      return (await opened).send(message, nowMs);
    },
    close: async () => (await opened)?.close(),
  };
}

async function open(allowed: AllowedTargets): Promise<Sender> {
  const { webhookAgent } = await import('./connect.ts');
  const { sendThrough } = await import('./send.ts');
  const agent = webhookAgent(allowed);
  return { send: sendThrough(agent), close: () => agent.destroy() };
}
