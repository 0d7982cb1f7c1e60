/** Damages the text of a response at random, in the ways that broken networks, proxies and forgers do. */

type Random = () => number;
type Members = Readonly<Record<string, unknown>>;

/** One to three corruptions of the response with these members; some of them leave a valid allow. */
export function corruptAnswer(members: Members, random: Random): Uint8Array {
  let bytes = new TextEncoder().encode(corruptMembers(members, random));
  for (let left = random() < 0.6 ? 1 : Math.floor(random() * 3); left > 0; left -= 1) {
    bytes = pick(BYTE_CORRUPTIONS, random)(bytes, random);
  }
  return bytes;
}

const OTHER_VALUES = [
  'allow',
  'ALLOW',
  'block',
  'pause',
  'approve',
  '',
  ' ',
  true,
  false,
  null,
  0,
  1,
  -1,
  1e308,
  [],
  {},
  ['allow'],
  [true],
  'write_intent.v1',
  'write_intent.v2',
  'requirements_met',
  '2026-01-01T00:00:00Z',
  '2099-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00',
  'sha256:00',
  { code: 'x', message: 'y' },
] as const;

function corruptMembers(members: Members, random: Random): string {
  const names = Object.keys(members);
  const name = pick(names, random);
  const json = JSON.stringify(members);
  const value = JSON.stringify(pick(OTHER_VALUES, random));
  switch (Math.floor(random() * 10)) {
    case 0:
      return JSON.stringify({ ...members, [name]: pick(OTHER_VALUES, random) });
    case 1: {
      const { [name]: _, ...rest } = members;
      return JSON.stringify(rest);
    }
    case 2: {
      const second = pick(names, random);
      return JSON.stringify({ ...members, [name]: members[second], [second]: members[name] });
    }
    case 3:
      return `{${JSON.stringify(name)}:${value},${json.slice(1)}`;
    case 4:
      return `${json.slice(0, -1)},${JSON.stringify(name)}:${value}}`;
    case 5:
      return `{"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}":${value},${json.slice(1)}`;
    case 6:
      return json.replace(`"${name}"`, `"${random() < 0.5 ? name.toUpperCase() : name.slice(1)}"`);
    case 7: {
      const text = members[name];
      return JSON.stringify({
        ...members,
        [name]: typeof text === 'string' ? flipCase(text, random) : [text],
      });
    }
    default:
      return json;
  }
}

function flipCase(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const letter = text.charAt(at);
  const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
  return text.slice(0, at) + other + text.slice(at + 1);
}

const BYTE_CORRUPTIONS: readonly ((
  bytes: Uint8Array<ArrayBuffer>,
  random: Random,
) => Uint8Array<ArrayBuffer>)[] = [
  function flipBit(bytes, random) {
    const copy = bytes.slice();
    copy[at(bytes, random)]! ^= 1 << Math.floor(random() * 8);
    return copy;
  },
  function cut(bytes, random) {
    return bytes.slice(0, at(bytes, random));
  },
  function drop(bytes, random) {
    const from = at(bytes, random);
    return join(bytes.subarray(0, from), bytes.subarray(from + 1 + Math.floor(random() * 8)));
  },
  function repeat(bytes, random) {
    const from = at(bytes, random);
    return join(bytes.subarray(0, from + 1 + Math.floor(random() * 80)), bytes.subarray(from));
  },
  function insert(bytes, random) {
    const from = at(bytes, random);
    const byte =
      random() < 0.5 ? Math.floor(random() * 256) : ' \t\n,:"{}[]0aA\\'.charCodeAt(Math.floor(random() * 14));
    return join(bytes.subarray(0, from), new Uint8Array([byte]), bytes.subarray(from));
  },
  function swapBytes(bytes, random) {
    const copy = bytes.slice();
    const [first, second] = [at(bytes, random), at(bytes, random)];
    [copy[first], copy[second]] = [bytes[second]!, bytes[first]!];
    return copy;
  },
];

function at(bytes: Uint8Array, random: Random): number {
  return Math.floor(random() * bytes.length);
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)]!;
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
