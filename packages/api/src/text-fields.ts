/** Readers for text that people write: any valid text up to a length, names that are not secrets, and links. */
import { type Field, name } from './fields.ts';

/** A key or a webhook's secret, whole or in part. */
const SECRET = /^wck_|wck_[a-z]{1,8}_[0-9A-Za-z]{6}|whsec_[0-9A-Za-z+/]{6}/;

/** A name that a person gives. A secret pasted into the wrong field would be stored and shown to everybody. */
export const label: Field<string> = {
  schema: { ...name.schema, not: { pattern: SECRET.source } },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && SECRET.test(value)
      ? { fault: 'looks like a key or secret; send a name that may be shown to everybody' }
      : name.read(value),
};

/** Characters are code points. */
export function writtenText(least: number, most: number): Field<string> {
  return {
    schema: { type: 'string', minLength: least, maxLength: most },
    isRequired: true,
    read: (value) =>
      typeof value === 'string' && isWithin(value, least, most)
        ? { value }
        : { fault: `must be a string of ${least} to ${most} characters` },
  };
}

const VISIBLE = /[^\p{C}\p{Z}]/u;

/** The same, with at least one character that a reader can see. */
export function statedText(most: number): Field<string> {
  const any = writtenText(1, most);
  return {
    schema: { ...any.schema, pattern: VISIBLE.source },
    isRequired: true,
    read: (value) =>
      typeof value === 'string' && value !== '' && !VISIBLE.test(value)
        ? { fault: 'must have a character that can be seen' }
        : any.read(value),
  };
}

function isWithin(text: string, least: number, most: number): boolean {
  // A code point is at most two units, so a long text is refused without splitting it.
  if (text.length > 2 * most) return false;
  const characters = [...text].length;
  return characters >= least && characters <= most;
}

const LINK_CHARACTERS_MAX = 1_024;
/** Excludes everything that a reader cannot see, or that a URL parser would silently drop. */
const LINK = /^https?:\/\/[^\p{C}\p{Z}]+$/iu;

export const link: Field<string> = {
  schema: {
    type: 'string',
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
    maxLength: LINK_CHARACTERS_MAX,
  },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' &&
    isWithin(value, 1, LINK_CHARACTERS_MAX) &&
    LINK.test(value) &&
    URL.canParse(value)
      ? { value }
      : { fault: `must be an http or https URL of at most ${LINK_CHARACTERS_MAX} characters` },
};
