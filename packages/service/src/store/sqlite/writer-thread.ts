/** The thread that holds the writing connection, so that a sync never stops the event loop that answers. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PackedGroup } from './commit-wire.ts';
import { type Db, openWriter, requireIdentity } from './open-database.ts';
import { type Operations, prepareOperations } from './operations.ts';
import { toUnavailable } from './store-failure.ts';
import type { WorkerReply } from './worker-call.ts';

export interface WriterRequest {
  readonly id: number;
  readonly name: keyof Operations | 'close';
  readonly args: readonly unknown[];
}

const { folder, identity } = workerData as { readonly folder: string; readonly identity: string };
const port = parentPort!;

interface Open {
  readonly db: Db;
  readonly operations: Operations;
}
let open: Open | null = null;

const opened = (): Open => {
  if (open === null) {
    const db = openWriter(folder, identity);
    open = { db, operations: prepareOperations(db) };
  }
  return open;
};

const letGo = (): void => {
  const db = open?.db;
  open = null;
  try {
    db?.close();
  } catch {
    // A connection that cannot even be closed is dropped; the next operation opens a new one.
  }
};

const perform = ({ name, args }: WriterRequest): unknown => {
  if (name === 'close') return letGo();
  const { operations } = opened();
  requireIdentity(folder, identity);
  return (operations[name] as (...args: readonly unknown[]) => unknown)(...args);
};

/** What came over with a commit goes back for the next one. */
const bufferIn = ({ name, args }: WriterRequest): ArrayBuffer | null =>
  name === 'commit' ? (args[0] as PackedGroup).buffer : null;

port.on('message', (request: WriterRequest) => {
  let reply: WorkerReply;
  const moved = bufferIn(request);
  try {
    reply = { id: request.id, kind: 'value', value: perform(request), ...(moved === null ? {} : { moved }) };
  } catch (thrown) {
    const failure = toUnavailable(thrown);
    // Whatever a failed connection still believes is not worth keeping. Waiting for a lock proves nothing wrong.
    if (failure.why !== 'busy') letGo();
    const { cause } = failure;
    reply = {
      id: request.id,
      kind: 'failed',
      why: failure.why,
      cause: cause instanceof Error ? cause.message : '',
    };
  }
  port.postMessage(reply, moved === null ? [] : [moved]);
  if (request.name === 'close') port.close();
});
