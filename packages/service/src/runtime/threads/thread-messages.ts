/** The messages between the main thread and the deciding threads of one service. */
import type { MessagePort } from 'node:worker_threads';
import type { SharedThread } from '@writecheck/store/port/sharing';
import type { LimitMemories } from '../../edge/request-limits.ts';
import type { Flags } from '../../support/config/load-config.ts';
import type { GatheredMetrics } from '../../support/observability/metrics.ts';

/** The order with which a deciding thread starts. */
export interface ThreadOrder {
  /** Starts at 1; a thread that replaces another takes its number. */
  readonly worker: number;
  /** It reads the settings itself, because some of them cannot cross to it. The port is the one that is shared. */
  readonly flags: Flags;
  /** All threads share this alarm. */
  readonly alarm: SharedArrayBuffer;
  readonly limits: LimitMemories;
  readonly recentAllows: SharedArrayBuffer;
  readonly exports: SharedArrayBuffer;
  readonly changes: SharedArrayBuffer;
}

/**
 * A thread loads its code, starts and listens on command, and sends no response before a message says that all
 * listen.
 */
export type ToThread =
  | StartThread
  | { readonly kind: 'listen' }
  | { readonly kind: 'open' }
  | { readonly kind: 'gather-metrics'; readonly id: number }
  | { readonly kind: 'stop' };

export interface StartThread {
  readonly kind: 'start';
  /** The folder of the store that the main thread has open; null if each thread opens its own. */
  readonly shared: string | null;
}

export type FromThread =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'listening' }
  | { readonly kind: 'not-started'; readonly message: string }
  | { readonly kind: 'connect'; readonly to: SharedThread; readonly port: MessagePort }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: GatheredMetrics };
