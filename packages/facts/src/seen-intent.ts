/** The part of an intent that a source may see: signed facts are bound to exactly that. */
import {
  DIGEST_MEMBERS,
  isObject,
  type JsonValue,
  OBJECT_MEMBERS,
  type WriteIntent,
} from '@writecheck/contract';
import { UnusableMember } from './failures.ts';

export type Bind = 'intent' | 'object';
export type SeenIntent = Readonly<Record<string, JsonValue>> & { readonly objectRef: string };

/** A member that is text, or a place inside `metadata`. */
const NAME = /^(?:[A-Za-z]+|metadata(?:\.[A-Za-z_][A-Za-z0-9_]*)+)$/;

/**
 * INVARIANT: facts bound to an object depend on nothing but the object, and facts bound to an intent on nothing
 * that its digest leaves out. Otherwise a caller could choose the signed content, and use it for another write.
 */
export function seenIntent(intent: WriteIntent, bind: Bind): SeenIntent {
  const needed = bind === 'object' ? OBJECT_MEMBERS : (['objectRef'] as const);
  for (const member of needed) {
    if (typeof intent[member] !== 'string')
      throw new UnusableMember(`/${member}`, 'is needed to read the record; send it');
  }
  const members = bind === 'object' ? OBJECT_MEMBERS : DIGEST_MEMBERS;
  const seen = members.flatMap((member) => {
    const value = intent[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(seen) as SeenIntent;
}

/** Why a query or a URL must not contain this name; null if it may. */
export function nameFault(name: string, bind: Bind): string | null {
  const allowed: readonly string[] =
    bind === 'object' ? OBJECT_MEMBERS : DIGEST_MEMBERS.filter((member) => member !== 'metadata');
  if (allowed.includes(name) || (bind === 'intent' && name.startsWith('metadata.') && NAME.test(name)))
    return null;
  const more = bind === 'object' ? '; anything else of the intent needs `bind: intent`' : ', metadata.NAME';
  return `names \`${name}\`, which it cannot see; it sees ${allowed.join(', ')}${more}`;
}

export function seenValue(seen: SeenIntent, name: string): string {
  let value: JsonValue | undefined = seen;
  for (const step of name.split('.')) {
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UnusableMember(
    `/${name.replaceAll('.', '/')}`,
    typeof value === 'object' && value !== null
      ? `is ${Array.isArray(value) ? 'a list' : 'an object'}, and only text, a number or a boolean can be looked up; a \`command\` gets the whole intent`
      : 'is needed to read the record; send it',
  );
}
