/** A thread for tests: says what it is told, or dies of it. */
import { parentPort } from 'node:worker_threads';

const port = parentPort!;

port.on('message', ({ id, name, args }: { id: number; name: string; args: readonly unknown[] }) => {
  if (name === 'die') throw new Error('as it was told');
  port.postMessage({ id, kind: 'value', value: args[0] });
  if (name === 'close') port.close();
});
