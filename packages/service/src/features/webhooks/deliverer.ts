/**
 * Delivers events in the background: leases webhooks, takes their events from the log, sends what is due and stores
 * the results. Everything it must not forget is in the store.
 */
import { randomBytes } from 'node:crypto';
import { DAY_MS, isoTime, MINUTE_MS } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { DeliveryResult, HeldWebhook, StoredDelivery } from '@writecheck/store/port/webhooks';
import { errorFields } from '../../support/observability/described-error.ts';
import type { Log } from '../../support/observability/log.ts';
import type { Links } from './events.ts';
import { type Cursor, type GatherParts, gather, readingOf } from './gather.ts';
import { resultOf } from './schedule.ts';
import type { Attempt, Send } from './send.ts';
import { SENDING_MAX, Sending } from './sending.ts';
import { slackMessage } from './slack.ts';
import { type DeriveSecret, signedHeaders } from './webhook-secrets.ts';

/**
 * Another process may take over a webhook after this long without a sign of its holder. With the polling interval,
 * the first attempt comes within 5 seconds, also after a kill -9.
 */
const LEASE_MS = 3_500;
const RENEW_BEFORE_MS = 2_000;
const LOOK_EVERY_MS = 1_000;
/** The pause between two rounds while there is work, so that results are stored together. */
const AGAIN_AFTER_MS = 50;
const STEPS_A_ROUND = 4;
const SWEEP_EVERY_MS = 10 * MINUTE_MS;
const KEEP_MS = 30 * DAY_MS;
const KEEP_MAX = 1_000;
/** When the service stops, messages being sent have this long. */
const FINISH_WITHIN_MS = 3_000;

interface DelivererParts {
  readonly store: GatherParts['store'] &
    Pick<
      Store,
      | 'hasActiveWebhook'
      | 'leaseWebhooks'
      | 'heldWebhooks'
      | 'releaseWebhooks'
      | 'dueDeliveries'
      | 'settleDeliveries'
      | 'sweepDeliveries'
    >;
  readonly links: Links;
  readonly signer: string;
  readonly derive: DeriveSecret;
  readonly send: Send;
  readonly clock: () => number;
  readonly log: Log;
  /** Logs repeated errors as counts. */
  readonly outages: Log;
  /** Counts deliveries by outcome: `delivered`, `failed`, `dropped`, or `retried`. */
  readonly settled: (state: string, count: number) => void;
}

export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #holder = randomBytes(8).toString('hex');
  /** How far each held webhook has read without storing it. */
  readonly #known = new Map<string, Cursor>();
  readonly #sending = new Sending();
  readonly #results: DeliveryResult[] = [];
  #hasLease = false;
  #mustLease = false;
  #sweptAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #isWanted = false;
  #isStopped = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#after(LOOK_EVERY_MS);
  }

  /** Something is due now, or a webhook became active. */
  readonly wake = (): void => {
    this.#mustLease = true;
    this.#after(0);
  };

  /** Sends nothing new, waits for messages being sent, and lets other processes take over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    const late = new Promise((resolve) => setTimeout(resolve, FINISH_WITHIN_MS).unref());
    await Promise.race([this.#sending.all(), late]);
    await this.#settle();
    if (this.#hasLease) await this.#parts.store.releaseWebhooks(this.#holder);
  }

  #after(waitMs: number): void {
    if (this.#isStopped) return;
    if (this.#round !== null) {
      this.#isWanted ||= waitMs < LOOK_EVERY_MS;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#round = this.#run();
    }, waitMs).unref();
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    try {
      this.#isWanted = (await this.#deliver()) || this.#isWanted;
    } catch (error) {
      this.#parts.outages.warn(errorFields(error), 'webhooks could not be delivered; trying again');
    }
    this.#round = null;
    this.#after(this.#isWanted ? AGAIN_AFTER_MS : LOOK_EVERY_MS);
  }

  /** One round; true if there is more to do immediately. */
  async #deliver(): Promise<boolean> {
    const { store, clock, signer } = this.#parts;
    await this.#settle();
    if (!this.#hasLease && !(await store.hasActiveWebhook(signer))) return false;
    const held = await this.#held(clock());
    if (held.length === 0) return false;
    const isMore = await this.#take(held);
    const ids = held.map(({ id }) => id);
    await this.#sendDue(ids);
    const hasSwept = await this.#sweep(ids);
    return isMore || hasSwept;
  }

  async #held(nowMs: number): Promise<readonly HeldWebhook[]> {
    const { store, signer } = this.#parts;
    const before = await store.heldWebhooks(this.#holder, nowMs);
    const isFresh =
      before.length > 0 && before.every(({ leasedUntilMs }) => leasedUntilMs - nowMs > RENEW_BEFORE_MS);
    if (isFresh && !this.#mustLease) return before;
    this.#mustLease = false;
    await store.leaseWebhooks({ holder: this.#holder, signer, nowMs, untilMs: nowMs + LEASE_MS });
    const held = await store.heldWebhooks(this.#holder, nowMs);
    this.#hasLease = held.length > 0;
    const ids = new Set(held.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    this.#sending.forgetOthers(ids);
    return held;
  }

  async #take(held: readonly HeldWebhook[]): Promise<boolean> {
    const { store, links, clock, settled } = this.#parts;
    const parts = {
      store,
      links,
      holder: this.#holder,
      dropped: (count: number) => settled('dropped', count),
    };
    const readings = held.map((webhook) => readingOf(webhook, this.#known.get(webhook.id) ?? {}));
    const nowMs = clock();
    let isMore = true;
    for (let step = 0; isMore && step < STEPS_A_ROUND; step += 1)
      isMore = await gather(parts, readings, nowMs);
    for (const { webhook, cursor } of readings) this.#known.set(webhook.id, cursor);
    return isMore;
  }

  async #sendDue(ids: readonly string[]): Promise<void> {
    const { store, clock } = this.#parts;
    // Messages being sent are still listed as due, so as many more are read.
    const due = await store.dueDeliveries(ids, clock(), 2 * SENDING_MAX);
    if (due.length === 0) return;
    // INVARIANT: read after the due deliveries, so that events after a rotation are signed with the new secret.
    const held = await store.heldWebhooks(this.#holder, clock());
    const byId = new Map(held.map((webhook) => [webhook.id, webhook]));
    for (const delivery of due) {
      const webhook = byId.get(delivery.webhook);
      if (webhook === undefined || this.#isStopped || !this.#sending.maySend(delivery)) continue;
      const sent = this.#send(webhook, delivery).finally(() => this.#after(0));
      this.#sending.add(delivery, sent);
    }
  }

  async #send(webhook: HeldWebhook, delivery: StoredDelivery): Promise<void> {
    const { derive, send, clock, log } = this.#parts;
    const { id, type } = delivery;
    const body = bodyOf(webhook, delivery);
    const startedMs = clock();
    const headers = signedHeaders(derive, webhook, { id, body }, startedMs);
    // INVARIANT: nothing is sent that its receiver could not verify.
    const attempt = headers === null ? UNSIGNED : await send({ url: webhook.url, headers, body }, startedMs);
    this.#sending.note(webhook.id, attempt.isDelivered);
    const result = resultOf(delivery, attempt, clock(), Math.random());
    this.#results.push(result);
    this.#parts.settled(result.state === 'waiting' ? 'retried' : result.state, 1);
    // INVARIANT: neither the URL, which may hold a secret, nor the body.
    const { status, failure } = attempt;
    const fields = { webhook: webhook.id, delivery: id, type, status, failure, attempts: result.attempts };
    if (headers === null) log.warn(fields, 'the secret of a webhook cannot be read; rotate it');
    else if (result.disables === undefined) log.debug(fields, 'a webhook was called');
    else log.warn({ ...fields, disables: result.disables }, 'a webhook was disabled');
  }

  /** Results are kept until the store has them. */
  async #settle(): Promise<void> {
    if (this.#results.length === 0) return;
    const results = this.#results.slice();
    await this.#parts.store.settleDeliveries(this.#holder, results);
    this.#results.splice(0, results.length);
    // INVARIANT: only now, because until it is stored the delivery still looks due.
    for (const result of results) this.#sending.delete(result);
  }

  /** Sweeps one batch a round until nothing is left; true if there may be more. */
  async #sweep(ids: readonly string[]): Promise<boolean> {
    const nowMs = this.#parts.clock();
    if (Math.abs(nowMs - this.#sweptAtMs) < SWEEP_EVERY_MS) return false;
    const removed = await this.#parts.store.sweepDeliveries(ids, nowMs - KEEP_MS, KEEP_MAX);
    if (removed === 0) this.#sweptAtMs = nowMs;
    return removed > 0;
  }
}

const UNSIGNED: Attempt = { isDelivered: false, status: null, retryAfterMs: null, failure: 'secret' };

function bodyOf({ format }: HeldWebhook, { type, atMs, data }: StoredDelivery): string {
  if (format === 'slack') return JSON.stringify(slackMessage(type, JSON.parse(data)));
  // INVARIANT: the same bytes at every attempt, since the stored data never changes.
  return `{"type":${JSON.stringify(type)},"timestamp":"${isoTime(atMs)}","data":${data}}`;
}
