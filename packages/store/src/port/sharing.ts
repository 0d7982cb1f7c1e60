/** Lets the threads of one process share the threads that write for one store. */
import type { MessagePort } from 'node:worker_threads';

/** The threads of a store that others may call. */
export type SharedThread = 'writer' | 'housekeeper';

export interface StoreSharing {
  /** Where another thread opens the same store. */
  readonly folder: string;
  /** Serves calls that arrive at this port; it closes when the thread behind it ends. */
  attach(to: SharedThread, port: MessagePort): void;
}

/** Returns one end of a channel whose other end is on its way to that thread. */
export type ConnectTo = (to: SharedThread) => MessagePort;
