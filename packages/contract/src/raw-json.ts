/** Finds the bytes of a member as sent, in bytes already known to be strict JSON. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const utf8 = new TextDecoder();

/** The bytes of a member's value in the outermost object; empty if it has no such member. */
export function rawMember(bytes: Uint8Array, name: string): Uint8Array {
  let at = firstInside(bytes);
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfString(bytes, at);
    const isWanted = JSON.parse(utf8.decode(bytes.subarray(at, nameEnd))) === name;
    const start = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    const end = endOfValue(bytes, start);
    if (isWanted) return bytes.subarray(start, end);
    at = nextInside(bytes, end);
  }
  return new Uint8Array();
}

function firstInside(bytes: Uint8Array): number {
  return skipSpace(bytes, skipSpace(bytes, 0) + 1);
}

function nextInside(bytes: Uint8Array, endOfPrevious: number): number {
  const at = skipSpace(bytes, endOfPrevious);
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : at;
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && SPACE.has(bytes[at]!)) at += 1;
  return at;
}

/** Takes the place of the opening quote and returns the place just after the closing one. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start]!;
  if (first === QUOTE) return endOfString(bytes, start);
  if (OPENING.has(first)) return endOfContainer(bytes, start);
  let at = start;
  while (at < bytes.length && bytes[at] !== COMMA && !CLOSING.has(bytes[at]!) && !SPACE.has(bytes[at]!))
    at += 1;
  return at;
}

function endOfContainer(bytes: Uint8Array, start: number): number {
  let open = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    at += 1;
    if (OPENING.has(byte)) open += 1;
    else if (CLOSING.has(byte)) open -= 1;
    if (open === 0) break;
  }
  return at;
}
