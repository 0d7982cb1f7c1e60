/** A second, slow and simple definition of a valid allow, to compare the client with. It shares no code with it. */

export interface Delivered {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  readonly replayed: boolean;
  /** The time of the Date header. */
  readonly dateMs: number | null;
  /** The time from the first request to the moment before the write. */
  readonly elapsedMs: number;
  readonly timeoutMs: number;
  readonly intentDigest: string;
  /** The `X-Request-ID` that the client sent. */
  readonly requestId: string;
  /** The `Redeem` header that it sent. */
  readonly claim: string;
}

export function isValidAllow(delivered: Delivered): boolean {
  if (delivered.status !== 200 || delivered.elapsedMs >= delivered.timeoutMs) return false;
  if (
    delivered.contentType !== 'application/json' &&
    delivered.contentType !== 'application/json; charset=utf-8'
  ) {
    return false;
  }
  let members: Map<string, unknown>;
  try {
    const text = Buffer.from(delivered.body).toString('utf8');
    if (!Buffer.from(text).equals(Buffer.from(delivered.body))) return false;
    const value = new Reader(text).readAll();
    if (!(value instanceof Map)) return false;
    members = value;
  } catch {
    return false;
  }
  const decision = members.get('decision');
  if (typeof decision !== 'string' || !/^allow$/i.test(decision) || decision.length !== 5) return false;
  if (members.get('allowed') !== true) return false;
  if (members.get('schemaVersion') !== 'write_intent.v1') return false;
  for (const name of ['reason', 'reason_code']) {
    const text = members.get(name);
    if (typeof text !== 'string' || text.length < 1) return false;
  }
  if (members.has('success') && members.get('success') !== true) return false;
  if (members.has('error') && members.get('error') !== null) return false;
  if (members.get('execution_status') !== 'permitted') return false;
  if (members.get('intentDigest') !== delivered.intentDigest) return false;
  if (members.get('request_id') !== delivered.requestId) return false;
  const redemption = members.get('redemption');
  if (!(redemption instanceof Map) || redemption.get('claim') !== delivered.claim) return false;
  if (moment(redemption.get('redeemedAt')) === null) return false;
  const until = moment(members.get('validUntil'));
  const made = moment(members.get('timestamp'));
  if (until === null || made === null || (delivered.replayed && delivered.dateMs === null)) return false;
  if (until - made > 300_000) return false;
  const from = delivered.replayed ? Math.max(made, delivered.dateMs! + 999) : made;
  return from + delivered.elapsedMs < until;
}

/** A subset of RFC 3339: no leap seconds, no lower case. */
function moment(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const form = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-](\d\d):(\d\d))$/.exec(text);
  if (form === null) return null;
  const [, day, hour, minute, second, fraction = '', offset, offsetHour = '0', offsetMinute = '0'] = form;
  const start = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
  const shiftMinutes = (offset!.startsWith('-') ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const minutes = Number(hour) * 60 + Number(minute) - shiftMinutes;
  const ms = Number(`${fraction.slice(1)}000`.slice(0, 3));
  return start.getTime() + minutes * 60_000 + Number(second) * 1000 + ms;
}

/** RFC 8259 by recursive descent; objects become maps, and a duplicate name is an error. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): unknown {
    const value = this.#value();
    this.#take(/[ \t\n\r]*/y);
    if (this.#at !== this.#text.length) throw new SyntaxError('bytes after the end');
    return value;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) throw new SyntaxError(`no ${pattern} at ${this.#at}`);
    this.#at = pattern.lastIndex;
    return found[0];
  }

  #next(): string {
    this.#take(/[ \t\n\r]*/y);
    return this.#text.charAt(this.#at);
  }

  #value(): unknown {
    const first = this.#next();
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    const word = this.#take(/true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    return word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : Number(word);
  }

  #string(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
    const raw = this.#take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
    return raw.slice(1, -1).replace(/\\(?:u(.{4})|(.))/g, (_, code?: string, letter?: string) => {
      return code === undefined
        ? (escapes[letter!] ?? letter!)
        : String.fromCharCode(Number.parseInt(code, 16));
    });
  }

  #array(): unknown[] {
    this.#take(/\[/y);
    const list: unknown[] = [];
    if (this.#next() === ']') return this.#close(/\]/y, list);
    for (;;) {
      list.push(this.#value());
      if (this.#next() !== ',') return this.#close(/\]/y, list);
      this.#take(/,/y);
    }
  }

  #object(): Map<string, unknown> {
    this.#take(/\{/y);
    const members = new Map<string, unknown>();
    if (this.#next() === '}') return this.#close(/\}/y, members);
    for (;;) {
      this.#next();
      const name = this.#string();
      if (members.has(name)) throw new SyntaxError(`${name} twice`);
      this.#next();
      this.#take(/:/y);
      members.set(name, this.#value());
      if (this.#next() !== ',') return this.#close(/\}/y, members);
      this.#take(/,/y);
    }
  }

  #close<T>(bracket: RegExp, value: T): T {
    this.#take(bracket);
    return value;
  }
}
