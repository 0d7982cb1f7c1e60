/** Long repetitive texts, and a check that parsing them takes linear time. */
import { KEY_PREFIXES } from '@writecheck/service/features/keys/key-format';

const CHARACTERS = ' \t\n\u00a0\u2028a01-_./\\"\'`[](){},;:=&?#*!|+~%@$é漢😀\u0000\u202eİ';
const WORDS = String.raw`// \\ "" "\ \" [] {} {"a": [[ },{ ** ~1 %2 %20 %00 a, a;q= a=1& "a":1, a. .a 1. 0x 1e -1 \u0041 a* *a !a !( (( && a&& || in[
  /* < <!-- eyJ -eyJ eyJ. //a: :// :: :0 [:: 1.1.1.1, W/" 00- dec_ sha256: 2026- T12:`;
const SPACED = '\r\n$ ;q=$a: $- $- - $a b$? :$//\n$&a $*a $Bearer $Basic a$\u2014 $e\u0301$\ud83d';

/** Pieces that parsers search for, backtrack over, or count. */
export const PIECES: readonly string[] = [
  ...CHARACTERS,
  ...WORDS.split(/\s+/),
  ...Object.values(KEY_PREFIXES),
  ...SPACED.split('$'),
];

export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** The maximum time for one text. */
const MS_PER_KILOBYTE = 1;
/** Twice the length doubles linear work and quadruples quadratic work. A limit shows as one step, so two in a row count. */
const GROWTH_MAX = 3;
/** Below it, compiler and garbage collector dominate. */
const NOTICED_MS = 8;
/** The thread's CPU clock is coarse. */
const LEAST_MS = 2;
const ATTEMPTS = 6;

export interface Reader {
  readonly name: string;
  /** The longest text to try. */
  readonly length: number;
  /** A longer limit, for work that blocks nothing else. */
  readonly msPerKilobyte?: number;
  readonly read: (text: string) => unknown;
}

/** CPU time of this thread, which other load on the machine does not affect. */
async function spentMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await work();
  } catch {
    // Throwing is a valid refusal; only the time counts.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Null if time grows linearly. Repeats only slow runs, and takes the best of several. */
export async function slownessOf(reader: Reader, piece: string): Promise<string | null> {
  const { name, length, read, msPerKilobyte = MS_PER_KILOBYTE } = reader;
  const texts = [1, 2, 4].map((part) => repeated(piece, Math.floor(length / part)));
  const best = texts.map(() => Number.POSITIVE_INFINITY);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    for (const [at, text] of texts.entries()) {
      best[at] = Math.min(best[at]!, Math.max(LEAST_MS, await spentMs(() => read(text))));
      if (best[0]! < NOTICED_MS) return null;
    }
  }
  const [whole, half, quarter] = best as [number, number, number];
  const isSteep = whole > half * GROWTH_MAX && half > quarter * GROWTH_MAX;
  if (!isSteep && whole <= (length / 1_024) * msPerKilobyte) return null;
  const shown = best.map((ms) => `${ms.toFixed(1)} ms`).join(', half of it ');
  return `${name}: ${JSON.stringify(piece)} repeated to ${length} characters takes ${shown}`;
}
