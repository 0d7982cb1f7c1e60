/** The members of a request body around its documents, small enough to parse between two checks. */
import { type JsonObject, type JsonValue, parseStrictJson } from '@writecheck/contract';
import { BODY_DEPTH_MAX } from './bundle-source.ts';

export type BodyOutline =
  /** The body with its lists and objects emptied, and a limited number of members. */
  | { readonly kind: 'outline'; readonly value: JsonValue }
  | { readonly kind: 'malformed'; readonly pointer: string; readonly message: string };

/** If a body has more unknown members, its author sees these first. */
const MEMBERS_MAX = 500;
const CHARACTERS_MAX = 256;

export function outlineBody(bytes: Uint8Array): BodyOutline {
  const parsed = parseStrictJson(bytes, BODY_DEPTH_MAX);
  if (parsed.kind === 'malformed') return parsed;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'outline', value: emptied(value) };
  }
  // Known members first, wherever they stand.
  const { documents, confirmLoosening, ...others } = value as JsonObject;
  const known = Object.entries({ documents, confirmLoosening }).filter(([, member]) => member !== undefined);
  const members = [...known, ...Object.entries(others)].slice(0, MEMBERS_MAX) as [string, JsonValue][];
  return {
    kind: 'outline',
    value: Object.fromEntries(members.map(([name, member]) => [shortened(name), emptied(member)])),
  };
}

function emptied(value: JsonValue): JsonValue {
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

function shortened(text: string): string {
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX).toWellFormed()}…` : text;
}
