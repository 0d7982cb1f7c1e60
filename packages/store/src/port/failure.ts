/** The one failure a store reports. */
/**
 * Why the store could not do what was requested. Every method may reject with this and with nothing else; the edge
 * turns it into 503 `store_unavailable`. The outcome of a rejected write is unknown: it may have become durable, so a
 * rejection means only that no decision can be sent.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly why:
    | 'busy'
    | 'full'
    | 'io'
    | 'corrupt'
    | 'version'
    | 'read_only'
    | 'replaced'
    | 'lost'
    | 'moved'
    | 'timeout'
    /** The search index lacks entries of the log; everything else works. */
    | 'behind'
    | 'closed'
    | 'unknown';

  /** The message may reach a response; the cause is for the log. */
  constructor(why: StoreUnavailable['why'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.why = why;
  }
}
