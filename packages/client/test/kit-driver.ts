/** The driver of the TypeScript client for `writecheck-kit`. */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { ScenarioMessage } from '../kit/program/kit-session.ts';
import { createClient } from '../src/index.ts';

const ROOMS = 16;
const intent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a@example.org',
};

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function run({ id, review, waitMs, ...setting }: ScenarioMessage): Promise<void> {
  const client = createClient(setting);
  const callId = randomUUID();
  const options = review ? { callId, review: { waitMs } } : { callId };
  const outcome = await client.guardWrite(
    () => intent,
    () => say({ type: 'write', id }),
    options,
  );
  say({ type: 'end', id, stopped: outcome.executed ? null : (outcome.stopped ?? null) });
  say({ type: 'next' });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'scenario') void run(message);
});
for (let room = 0; room < ROOMS; room += 1) say({ type: 'next' });
