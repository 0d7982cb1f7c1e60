/** The messages being sent, and whether another may be: a failing endpoint delays no other. */

/** How many messages are sent to one endpoint concurrently: only one while it fails. */
export const SENDING_MAX = 8;
/** Failing endpoints share this limit, so that they do not fill the memory. */
const FAILING_SENDING_MAX = 128;

interface Message {
  readonly webhook: string;
  readonly id: string;
}

export class Sending {
  /** Messages being sent, or sent and not yet stored, by webhook and then message. */
  readonly #sent = new Map<string, Map<string, Promise<void>>>();
  readonly #failing = new Set<string>();

  add({ webhook, id }: Message, sent: Promise<void>): void {
    const own = this.#sent.get(webhook) ?? new Map<string, Promise<void>>();
    own.set(id, sent);
    this.#sent.set(webhook, own);
  }

  /** Call it once the result is stored: until then the message still looks due. */
  delete({ webhook, id }: Message): void {
    const own = this.#sent.get(webhook);
    own?.delete(id);
    if (own?.size === 0) this.#sent.delete(webhook);
  }

  all(): Promise<unknown> {
    return Promise.all([...this.#sent.values()].flatMap((own) => [...own.values()]));
  }

  maySend({ webhook, id }: Message): boolean {
    const own = this.#sent.get(webhook);
    if (own?.has(id) === true) return false;
    if (!this.#failing.has(webhook)) return (own?.size ?? 0) < SENDING_MAX;
    let failing = 0;
    for (const each of this.#failing) failing += this.#sent.get(each)?.size ?? 0;
    return own === undefined && failing < FAILING_SENDING_MAX;
  }

  note(webhook: string, isDelivered: boolean): void {
    if (isDelivered) this.#failing.delete(webhook);
    else this.#failing.add(webhook);
  }

  /** Another process has taken over the webhooks that are not in this list. */
  forgetOthers(held: ReadonlySet<string>): void {
    for (const id of this.#failing) if (!held.has(id)) this.#failing.delete(id);
  }
}
