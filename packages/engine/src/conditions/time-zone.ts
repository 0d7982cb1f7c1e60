/** The hour and the day of the week that a moment has in a time zone. */
import { MINUTE_MS } from '@writecheck/contract';

export type ClockPart = 'getHours' | 'getDayOfWeek';
export function isClockPart(name: string): name is ClockPart {
  return name === 'getHours' || name === 'getDayOfWeek';
}

type ClockReader = (nanos: bigint) => bigint;

const NANOS_PER_MS = 1_000_000n;
const OFFSET = /^([+-]?)([01][0-9]|2[0-3]):([0-5][0-9])$/;
/** The longest IANA name has 32 characters. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9/_+-]{0,63}$/;
const WEEKDAYS: readonly string[] = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A formatter takes about 60 KB and 0.1 ms to make, so a zone has one, however many conditions name it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Null if there is no such zone. Takes the names and offsets that CEL takes: `Europe/Berlin`, `UTC`, `+01:00`. */
export function clockReader(part: ClockPart, zone: string): ClockReader | null {
  const offsetMs = fixedOffsetMs(zone);
  if (offsetMs !== null) return (nanos) => BigInt(shifted(part, msOf(nanos) + offsetMs));
  const formatter = formatterFor(zone);
  if (formatter === null) return null;
  const type = part === 'getHours' ? 'hour' : 'weekday';
  return (nanos) => {
    const { value } = formatter.formatToParts(msOf(nanos)).find((one) => one.type === type)!;
    return BigInt(part === 'getHours' ? Number(value) : WEEKDAYS.indexOf(value));
  };
}

function fixedOffsetMs(zone: string): number | null {
  if (zone === 'UTC') return 0;
  const found = OFFSET.exec(zone);
  if (found === null) return null;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return (found[1] === '-' ? -minutes : minutes) * MINUTE_MS;
}

function shifted(part: ClockPart, localMs: number): number {
  const local = new Date(localMs);
  return part === 'getHours' ? local.getUTCHours() : local.getUTCDay();
}

/** Rounded down: a moment just before midnight in 1969 is still in 1969. */
function msOf(nanos: bigint): number {
  const ms = nanos / NANOS_PER_MS;
  return Number(nanos < 0n && ms * NANOS_PER_MS !== nanos ? ms - 1n : ms);
}

function formatterFor(zone: string): Intl.DateTimeFormat | null {
  if (!ZONE_NAME.test(zone)) return null;
  const name = zone.toLowerCase();
  const known = formatters.get(name);
  if (known !== undefined) return known;
  try {
    const formatter = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    formatters.set(name, formatter);
    return formatter;
  } catch {
    return null;
  }
}
