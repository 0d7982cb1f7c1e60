/** Generates intents and compares the digest that Python computes with ours. */
import { type DigestInput, intentDigest, parseStrictJson } from '@writecheck/contract';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { runPython } from './python.ts';

export interface Comparison {
  readonly compared: number;
  readonly different: readonly string[];
}

const CHUNK = 500;
const MEMBERS = ['system', 'objectType', 'objectRef', 'field', 'agentValue', 'authorityValue', 'operation'];

export async function compareDigests(count: number, seed: number): Promise<Comparison> {
  const { code, stdout, stderr } = await runPython(['compare_digests.py'], { input: lines(count, seed) });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Each line is our digest, a tab, and the intent. */
function* lines(count: number, seed: number): Iterable<string> {
  const random = seededRandom(seed);
  let chunk = '';
  for (let at = 0; at < count; at += 1) {
    const text = intentText(random);
    chunk += `${digestOf(text)}\t${text}\n`;
    if (at % CHUNK === 0) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

/** Read as the service reads it: V8's own parser may misread a name with an escape (nodejs/node#63785). */
function digestOf(text: string): string {
  const json = parseStrictJson(new TextEncoder().encode(text));
  if (json.kind === 'malformed') throw new Error(`${json.message}: ${text}`);
  return intentDigest(json.value as DigestInput);
}

type Random = () => number;

function intentText(random: Random): string {
  const members = MEMBERS.filter(() => random() < 0.6).map((name) => `"${name}":${textOf(random)}`);
  if (random() < 0.3) members.push(`"authorityFound":${random() < 0.5}`);
  if (random() < 0.2) members.push('"workflowId":null', '"runId":"not covered"');
  if (random() < 0.9) members.push(`"metadata":${objectText(random, 3)}`);
  return `{${shuffled(members, random).join()}}`;
}

function objectText(random: Random, depth: number): string {
  const names = new Set(Array.from({ length: Math.floor(random() * 6) }, () => nameOf(random)));
  const members = [...names].map((name) => `${JSON.stringify(name)}:${valueText(random, depth - 1)}`);
  return `{${members.join()}}`;
}

function valueText(random: Random, depth: number): string {
  const kind = random();
  if (kind < 0.45) return numberText(random);
  if (kind < 0.75) return textOf(random);
  if (kind < 0.8) return random() < 0.5 ? 'null' : 'true';
  if (depth === 0) return 'false';
  if (kind < 0.9) return objectText(random, depth);
  return `[${Array.from({ length: Math.floor(random() * 4) }, () => valueText(random, depth - 1)).join()}]`;
}

const bits = new DataView(new ArrayBuffer(8));
const EDGES = [
  0,
  -0,
  1e-6,
  1e-7,
  1e20,
  1e21,
  1e22,
  5e-324,
  2 ** 53 - 1,
  2 ** 53,
  1.7976931348623157e308,
  0.1,
  333333333.3333333,
];

function numberText(random: Random): string {
  const kind = random();
  let value: number;
  if (kind < 0.2) value = EDGES[Math.floor(random() * EDGES.length)]!;
  else if (kind < 0.4) value = Math.floor((random() - 0.5) * 10 ** Math.floor(random() * 16));
  else if (kind < 0.7) value = (random() - 0.5) * 10 ** Math.floor(random() * 60 - 30);
  else {
    // Any double there is.
    bits.setUint32(0, random() * 2 ** 32);
    bits.setUint32(4, random() * 2 ** 32);
    value = bits.getFloat64(0);
    if (!Number.isFinite(value)) value = 0;
  }
  // The contract refuses an integer beyond 2^53 - 1 that is written without fraction or exponent.
  if (random() < 0.2 || !Number.isSafeInteger(value))
    return value.toExponential().replace('+', random() < 0.5 ? '+' : '');
  return random() < 0.2 ? `${value}.0` : `${value}`;
}

const CHARACTERS = [
  'a',
  'Z',
  '0',
  '"',
  '\\',
  '/',
  '\n',
  '\u0000',
  '\u001f',
  '\u007f',
  'é',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{1d518}',
  '\u{10ffff}',
  'ß',
  '金',
];

function textOf(random: Random): string {
  const text = characters(random, Math.floor(random() * 12));
  // Escapes are another spelling of the same text.
  if (random() < 0.7) return JSON.stringify(text);
  return `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

function nameOf(random: Random): string {
  return characters(random, 1 + Math.floor(random() * 3));
}

function characters(random: Random, length: number): string {
  return Array.from({ length }, () => CHARACTERS[Math.floor(random() * CHARACTERS.length)]!).join('');
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
