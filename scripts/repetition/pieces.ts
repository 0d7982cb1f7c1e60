/** Long texts of one short piece, and how long reading one may take: no more than in proportion to its length. */
import { KEY_PREFIXES } from '../../packages/service/src/keys/key-format.ts';

/** What readers look for, come back to, or count. */
export const PIECES: readonly string[] = [
  ...[' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', 'a', '0', '1', '-', '_', '.', '/', '//', '\\', '\\\\'],
  ...['"', "'", '`', '""', '"\\', '\\"', '[', ']', '{', '}', '(', ')', '[]', '{}', '{"a":', '[[', '},{'],
  ...[
    ',',
    ';',
    ':',
    '=',
    '&',
    '?',
    '#',
    '*',
    '**',
    '!',
    '|',
    '+',
    '~',
    '~1',
    '%',
    '%2',
    '%20',
    '%00',
    '@',
    '$',
  ],
  ...[
    'a,',
    'a;q=',
    ' ;q=',
    'a=1&',
    'a: ',
    '- ',
    '- - ',
    '"a":1,',
    'a.',
    '.a',
    '1.',
    '0x',
    '1e',
    '-1',
    '\\u0041',
  ],
  ...[
    'a*',
    '*a',
    'a b',
    '!a',
    '!(',
    '((',
    '&&',
    'a&&',
    '||',
    'in[',
    '? :',
    '/*',
    '//\n',
    '<',
    '<!--',
    '&a ',
    '*a ',
  ],
  ...[
    'eyJ',
    '-eyJ',
    'eyJ.',
    'Bearer ',
    'Basic a',
    '//a:',
    '://',
    '::',
    ':0',
    '[::',
    '1.1.1.1,',
    'W/"',
    '00-',
  ],
  ...Object.values(KEY_PREFIXES),
  ...[
    'dec_',
    'sha256:',
    '\u2014 ',
    '2026-',
    'T12:',
    'é',
    'e\u0301',
    '漢',
    '😀',
    '\ud83d',
    '\u0000',
    '\u202e',
    'İ',
  ],
];

export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** The quality bar. */
const MS_PER_KILOBYTE = 1;
/** Linear work doubles with twice the length, quadratic work takes four times as long: twice in a row, where a limit is a single step. */
const GROWTH_MAX = 3;
/** Below it there is little to see but the compiler and the collector at work. */
const NOTICED_MS = 8;
const ATTEMPTS = 6;

export interface Reader {
  readonly name: string;
  /** The longest text it is given. */
  readonly length: number;
  /** Where it may take longer, because it does not hold up anything else. */
  readonly msPerKilobyte?: number;
  readonly read: (text: string) => unknown;
}

/** What this thread spent on it: a machine that has other work to do does not change that, as it would the time of day. */
export async function spentMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await work();
  } catch {
    // A refusal by a throw is as good as any; only its time counts.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Null if the time grows with the length. Only what takes long is looked at again, at its best of several times. */
export async function slownessOf(reader: Reader, piece: string): Promise<string | null> {
  const { name, length, read, msPerKilobyte = MS_PER_KILOBYTE } = reader;
  const texts = [1, 2, 4].map((part) => repeated(piece, Math.floor(length / part)));
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    for (const [at, text] of texts.entries()) {
      best[at] = Math.min(best[at]!, await spentMs(() => read(text)));
      if (best[0]! < NOTICED_MS) return null;
    }
  }
  const [whole, half, quarter] = best as [number, number, number];
  const isSteep = whole > half * GROWTH_MAX && half > quarter * GROWTH_MAX;
  if (!isSteep && whole <= (length / 1_024) * msPerKilobyte) return null;
  const shown = best.map((ms) => `${ms.toFixed(1)} ms`).join(', half of it ');
  return `${name}: ${JSON.stringify(piece)} repeated to ${length} characters takes ${shown}`;
}
