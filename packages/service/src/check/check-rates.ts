/** How many checks a second a key may send, and a workspace that signed itself up. */
import type { Actor } from '../exchange/actor.ts';
import { type Answer, NO_HEADERS } from '../exchange/answer.ts';
import { type Refusal, refuseFor } from '../exchange/refusal.ts';
import type { RateTaken, WindowLimit } from '../support/window-limit.ts';

/** Null where nothing is limited. */
export interface RateLimits {
  readonly ratePerKey: WindowLimit | null;
  /** By workspace, on the hosted plan. */
  readonly selfServeRate: WindowLimit | null;
}

type Rated = Pick<Actor, 'id' | 'workspace' | 'isSelfServe'>;

interface Rate {
  readonly limit: WindowLimit;
  readonly subject: string;
  /** Whose it is, for the caller. */
  readonly of: 'key' | 'workspace';
}

export class CheckRates {
  readonly #limits: RateLimits;

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  #ratesOf({ id, workspace, isSelfServe }: Rated): readonly Rate[] {
    const { ratePerKey, selfServeRate } = this.#limits;
    const rates: Rate[] = [];
    if (ratePerKey !== null) rates.push({ limit: ratePerKey, subject: id, of: 'key' });
    if (selfServeRate !== null && isSelfServe)
      rates.push({ limit: selfServeRate, subject: workspace, of: 'workspace' });
    return rates;
  }

  /** Counts one check. */
  take(
    actor: Rated,
    nowMs: number,
  ): { readonly refusal: Refusal | null; readonly headers: Answer['headers'] } {
    let headers = NO_HEADERS;
    for (const { limit, subject, of } of this.#ratesOf(actor)) {
      const taken = limit.take(subject, nowMs);
      headers = joinHeaders(headers, rateHeaders(of, limit, taken));
      if (taken.admitted) continue;
      const message = `this ${of} may send ${limit.limit} checks a second; slow down`;
      return { refusal: refuseFor(taken.resetsInMs, 'rate_limited', message), headers };
    }
    return { refusal: null, headers };
  }

  /** Counts the further checks of a batch that was admitted as one. */
  charge(actor: Rated, checks: number, nowMs: number): void {
    for (const { limit, subject } of this.#ratesOf(actor)) limit.charge(subject, checks, nowMs);
  }
}

/** The `RateLimit-Policy` and `RateLimit` fields (IETF draft, structured form). */
function rateHeaders(of: Rate['of'], { limit, windowMs }: WindowLimit, taken: RateTaken): Answer['headers'] {
  return {
    'ratelimit-policy': `"${of}";q=${limit};w=${Math.ceil(windowMs / 1_000)}`,
    ratelimit: `"${of}";r=${taken.remaining};t=${Math.ceil(taken.resetsInMs / 1_000)}`,
  };
}

/** The fields are lists, which rates and the quota add to. */
export function joinHeaders(first: Answer['headers'], second: Answer['headers']): Answer['headers'] {
  const joined: Record<string, string> = { ...second };
  for (const [name, value] of Object.entries(first))
    joined[name] = second[name] === undefined ? value : `${value}, ${second[name]}`;
  return joined;
}
