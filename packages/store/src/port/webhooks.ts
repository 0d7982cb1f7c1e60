/**
 * Webhooks as the store sees them: one row per webhook with its cursor in the log, and one per delivery. A webhook is
 * leased to one process at a time; only the holder takes events for it and settles its deliveries.
 */
import type { DeliveryState, WebhookEventType, WebhookFormat } from '@writecheck/contract';
import type { DecisionSummary } from './decisions.ts';

type WebhookState = 'active' | 'disabled';
/** Why a webhook is disabled: an owner said so, its endpoint responded with 410, or its last attempt failed. */
type DisabledBecause = 'owner' | 'gone' | 'failing';

/** The settings that an owner may change. */
export interface WebhookSettings {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly format: WebhookFormat;
  readonly description: string | null;
  readonly state: WebhookState;
  readonly because: DisabledBecause | null;
}

/** Its secrets, which only the signing key opens. */
export interface WebhookSecret {
  /** The published line of the signing key that opens them. */
  readonly signer: string;
  readonly sealed: string;
  /** The secret before this one; null if there is none that this signer could open. */
  readonly sealedBefore: string | null;
  /** Starts at 0; every rotation adds one. */
  readonly rotation: number;
  /** When the secret before this one was replaced; null if there is none that this signer could open. */
  readonly rotatedAtMs: number | null;
}

export interface StoredWebhook extends WebhookSettings, WebhookSecret {
  readonly workspace: string;
  /** `whk_...` */
  readonly id: string;
  /** Starts at 1; every change of the settings or the secret adds one. */
  readonly version: number;
  readonly createdAtMs: number;
}

export type NewWebhook = Omit<StoredWebhook, 'version'>;

/** The next index of each log up to which everything has been read; a log that is not named is read from its beginning. */
export type WebhookCursor = { readonly [log: string]: number };

/** A webhook this process holds. */
export interface HeldWebhook extends StoredWebhook {
  readonly cursor: WebhookCursor;
  readonly leasedUntilMs: number;
  /** How many of its deliveries are waiting. */
  readonly waiting: number;
}

export interface NewDelivery {
  /** `msg_...`, the `webhook-id`. The same event gives the same id, so that taking it twice makes one delivery. */
  readonly id: string;
  readonly type: WebhookEventType;
  /** When the event happened. */
  readonly atMs: number;
  /** The body's `data`, as JSON. */
  readonly data: string;
  readonly state: 'waiting' | 'dropped';
}

export interface StoredDelivery extends Omit<NewDelivery, 'state'> {
  readonly webhook: string;
  /** Grows with every delivery of the store. */
  readonly number: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The status of the last response; null if there was none. */
  readonly status: number | null;
  /** When it is tried next; null unless it is waiting. */
  readonly nextAtMs: number | null;
}

/** The outcome of one attempt. */
export interface DeliveryResult
  extends Pick<StoredDelivery, 'webhook' | 'id' | 'state' | 'attempts' | 'status' | 'nextAtMs'> {
  /** Set if the webhook is disabled with it. */
  readonly disables?: DisabledBecause;
}

export interface Lease {
  /** Names this process. */
  readonly holder: string;
  /** Selects webhooks whose secrets this signing key opens. */
  readonly signer: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** A log entry that may be an event: anything except an allow, with the target of a decision. */
export interface NotableEntry {
  readonly index: number;
  readonly workspace: string;
  /** The entry as the log has it. */
  readonly entry: { readonly [member: string]: unknown };
  /** The members of a decision's intent that name the target. */
  readonly target: NotableTarget | null;
  /** The caller's name for the run of a decision. */
  readonly runId: string | null;
}

export type NotableTarget = Pick<
  DecisionSummary,
  'system' | 'objectType' | 'objectRef' | 'field' | 'operation'
>;

export interface NotableEntries {
  readonly entries: readonly NotableEntry[];
  /** The place where the next reading begins; equal to `from` at the end of the log. */
  readonly next: number;
}

export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly StoredDelivery[];
  /** The `before` of the next page; null at the end. */
  readonly next: number | null;
}

/** Limits calls in a window that starts with the first call. */
export interface CallLimit {
  readonly most: number;
  readonly windowMs: number;
}

export interface CallCount {
  readonly isAdmitted: boolean;
  /** When the window that counts it began. */
  readonly sinceMs: number;
}

export interface NotableReading {
  /** Reads a few hundred entries of a log at a time, on a thread that no check waits for. */
  notableEntries(log: string, from: number, workspaces: readonly string[]): Promise<NotableEntries>;
}
