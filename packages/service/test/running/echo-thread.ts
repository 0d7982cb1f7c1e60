/** A thread for tests: echoes its input, or dies of it, and counts how often it was started. */
import { parentPort, workerData } from 'node:worker_threads';

const port = parentPort!;
Atomics.add((workerData as { readonly starts: Int32Array }).starts, 0, 1);

port.on('message', ({ id, name, args }: { id: number; name: string; args: readonly unknown[] }) => {
  if (name === 'die') throw new Error('as it was told');
  port.postMessage({ id, kind: 'value', value: args[0] });
  if (name === 'close') port.close();
});
