/** Lets the threads of one process share the threads that write for one store. */
import type { MessagePort } from 'node:worker_threads';

/** The threads of a store that others may call. */
export type SharedThread = 'writer' | 'housekeeper';

/** Lets another thread open the same store; it can be passed to a thread. */
export interface SharedPlace {
  readonly kind: 'sqlite';
  readonly folder: string;
  readonly footprint: unknown;
}

export interface StoreSharing {
  readonly place: SharedPlace;
  /** Serves calls that arrive at this port; it closes when the thread behind it ends. */
  attach(to: SharedThread, port: MessagePort): void;
}

/** Returns one end of a channel whose other end is on its way to that thread. */
export type ConnectTo = (to: SharedThread) => MessagePort;
