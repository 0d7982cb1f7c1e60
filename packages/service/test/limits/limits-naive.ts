/** Limits in the simplest form: every draw in one list, and windows directly from the calendar or the clock. */

export interface NaiveLimit {
  readonly id: string;
  readonly by?: readonly string[];
  readonly sum?: string;
  readonly max: number;
  readonly per: string;
  readonly beyond?: string;
  readonly writePolicy?: string;
}

interface Draw {
  readonly counter: string;
  readonly group: string;
  readonly atMs: number;
  millionths: bigint;
}

export interface NaiveState {
  readonly id: string;
  readonly max: string;
  readonly drawn: string | null;
  readonly draw: string | null;
  readonly remaining: string | null;
  readonly resetsAt: string | null;
  readonly beyond: boolean;
}

export type Context = { readonly customer?: unknown; readonly amount?: unknown };

const CONTEXT = 'intent.metadata.context.';
const ROLLING_MS: { readonly [per: string]: number } = { '1m': 60_000, '90m': 5_400_000, '7h': 25_200_000 };

function valueAt(path: string, context: Context): unknown {
  return (context as { readonly [member: string]: unknown })[path.slice(CONTEXT.length)];
}

/** Null if it is not an amount. */
function millionthsOf(value: unknown): bigint | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text)) return null;
  const [whole = '', fraction = ''] = text.split('.');
  const short = fraction.replace(/0+$/, '');
  if (short.length > 6 || (whole.replace(/^0+/, '') + short).length > 15) return null;
  return BigInt(whole) * 1_000_000n + BigInt(short.padEnd(6, '0'));
}

function text(millionths: bigint): string {
  const fraction = String(millionths % 1_000_000n).padStart(6, '0');
  return `${millionths / 1_000_000n}.${fraction}`.replace(/\.?0+$/, '');
}

/** The calendar window that contains a moment. */
function calendar(per: string, atMs: number): readonly [number, number] {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()] as const;
  switch (per) {
    case 'hour':
      return [Date.UTC(year, month, day, at.getUTCHours()), Date.UTC(year, month, day, at.getUTCHours() + 1)];
    case 'day':
      return [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)];
    case 'week': {
      const monday = day - ((at.getUTCDay() + 6) % 7);
      return [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)];
    }
    default:
      return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  }
}

/** When a draw stops counting: in a rolling window, with the step after the sixtieth. */
function endMs(per: string, drawnMs: number): number {
  const rolling = ROLLING_MS[per];
  if (rolling === undefined) return calendar(per, drawnMs)[1];
  return Math.ceil(((Math.floor((60 * drawnMs) / rolling) + 61) * rolling) / 60);
}

export class NaiveLimits {
  limits: readonly NaiveLimit[] = [];
  #draws: Draw[] = [];

  #counter({ id, by = [], sum, per }: NaiveLimit, keyKind: string): string {
    return JSON.stringify([keyKind, id, by, sum ?? null, per]);
  }

  groupOf({ by = [] }: NaiveLimit, context: Context): readonly string[] | null {
    const values = by.map((path) => valueAt(path, context));
    if (!values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))) return null;
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  }

  #counting(limit: NaiveLimit, keyKind: string, group: string, atMs: number): readonly Draw[] {
    const counter = this.#counter(limit, keyKind);
    const mine = this.#draws.filter(
      (one) => one.counter === counter && one.group === group && one.millionths > 0n,
    );
    if (ROLLING_MS[limit.per] !== undefined) return mine.filter((one) => endMs(limit.per, one.atMs) > atMs);
    const [from, to] = calendar(limit.per, atMs);
    return mine.filter((one) => one.atMs >= from && one.atMs < to);
  }

  read(limit: NaiveLimit, keyKind: string, group: readonly string[], atMs: number) {
    const counting = this.#counting(limit, keyKind, JSON.stringify(group), atMs);
    const drawn = counting.reduce((sum, { millionths }) => sum + millionths, 0n);
    const isRolling = ROLLING_MS[limit.per] !== undefined;
    const oldest = counting.length === 0 ? null : Math.min(...counting.map((one) => one.atMs));
    const resetsMs = isRolling
      ? oldest === null
        ? null
        : endMs(limit.per, oldest)
      : calendar(limit.per, atMs)[1];
    return { drawn, resetsAt: resetsMs === null ? null : new Date(resetsMs).toISOString() };
  }

  stateOf(limit: NaiveLimit, keyKind: string, context: Context, atMs: number): NaiveState {
    const max = millionthsOf(limit.max)!;
    const draw = limit.sum === undefined ? 1_000_000n : millionthsOf(valueAt(limit.sum, context));
    const group = this.groupOf(limit, context);
    const reading = group === null ? null : this.read(limit, keyKind, group, atMs);
    return {
      id: limit.id,
      max: text(max),
      drawn: reading === null ? null : text(reading.drawn),
      draw: draw === null ? null : text(draw),
      remaining: reading === null ? null : text(max > reading.drawn ? max - reading.drawn : 0n),
      resetsAt: reading?.resetsAt ?? null,
      beyond: draw === null || reading === null || reading.drawn + draw > max,
    };
  }

  /** Decides, and draws if that is an allow. */
  decide(keyKind: string, context: Context, atMs: number) {
    const limits = this.limits.map((limit) => ({
      limit,
      state: this.stateOf(limit, keyKind, context, atMs),
    }));
    const objecting = limits.filter(({ limit, state }) => state.beyond && limit.writePolicy !== 'observe');
    const isBlocked = objecting.some(({ limit }) => limit.beyond === 'block');
    const decision = objecting.length === 0 ? 'allow' : isBlocked ? 'block' : 'pause';
    if (decision === 'allow')
      for (const { limit } of limits) {
        const group = this.groupOf(limit, context);
        const millionths = limit.sum === undefined ? 1_000_000n : millionthsOf(valueAt(limit.sum, context));
        if (group === null || millionths === null) continue;
        this.#draws.push({
          counter: this.#counter(limit, keyKind),
          group: JSON.stringify(group),
          atMs,
          millionths,
        });
      }
    return { decision, limits: limits.map(({ state }) => state) };
  }

  /** False if more would be given back than is drawn. */
  giveBack(
    limit: NaiveLimit,
    keyKind: string,
    group: readonly string[],
    amount: string,
    atMs: number,
  ): boolean {
    const counting = this.#counting(limit, keyKind, JSON.stringify(group), atMs);
    let left = millionthsOf(amount)!;
    if (counting.reduce((sum, { millionths }) => sum + millionths, 0n) < left) return false;
    for (const one of counting.toSorted((a, b) => a.atMs - b.atMs)) {
      const taken = left < one.millionths ? left : one.millionths;
      one.millionths -= taken;
      left -= taken;
    }
    return true;
  }

  /** Groups with a draw in the window. */
  groups(limit: NaiveLimit, keyKind: string, atMs: number) {
    const counter = this.#counter(limit, keyKind);
    const names = new Set(this.#draws.filter((one) => one.counter === counter).map(({ group }) => group));
    return [...names]
      .map((name) => ({
        group: JSON.parse(name) as string[],
        ...this.read(limit, keyKind, JSON.parse(name), atMs),
      }))
      .filter(({ drawn }) => drawn > 0n)
      .map(({ group, drawn, resetsAt }) => ({ group, drawn: text(drawn), resetsAt }));
  }
}
