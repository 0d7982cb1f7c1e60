/** `writecheck facts check`: reads as the reader would, and prints what it found. */
import { CommandFailure } from '@writecheck/contract/command';
import { Reader, UnusableMember } from '@writecheck/facts';
import { readIntent } from '../read-intent.ts';
import { readerConfig } from './config.ts';

/** Nothing is signed: a signed item on a terminal could be used. */
export async function checkFacts(file: string, options: { readonly intent: string }): Promise<void> {
  const config = readerConfig(file);
  const { intent } = await readIntent(options.intent);
  const reader = new Reader(config);
  // A signal alone would skip the exit handlers, and a process that reads a SQLite file would continue.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  try {
    const outcome = await reader.read(intent, null);
    if (outcome.kind === 'unavailable')
      throw new CommandFailure(`\`${outcome.controlId}\` could not be read: ${outcome.why}`);
    if (outcome.kind !== 'read')
      throw new CommandFailure('no control fits this intent; compare its members with each `match`');
    const found = outcome.items.map(({ control, checkedAt, facts }) => [control.id, { checkedAt, facts }]);
    process.stdout.write(`${JSON.stringify(Object.fromEntries(found), null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof UnusableMember)) throw error;
    throw new CommandFailure(`${error.pointer} of the intent ${error.message}`);
  } finally {
    await reader.close();
  }
}
