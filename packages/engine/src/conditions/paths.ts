/** Lists what conditions may read: the members that the digest covers, with their types, and everything below facts. */
import { DIGEST_MEMBERS } from '@writecheck/contract';
import { didYouMean, quoted } from '../policy/faults.ts';
import type { Root, Step } from './tree.ts';
import { BOOL, STRING } from './type-names.ts';

const PATH_MEMBERS_MAX = 32;
/** The members of an intent except `metadata`, each with its one type. */
export const INTENT_TYPES: ReadonlyMap<string, number> = new Map(
  DIGEST_MEMBERS.filter((member) => member !== 'metadata').map((member) => [
    member as string,
    member === 'authorityFound' ? BOOL : STRING,
  ]),
);

const TOO_LONG = `a path may have ${PATH_MEMBERS_MAX} members`;

export function faultOfPath(root: Root, members: readonly Step[]): string | null {
  if (root === 'intent') return faultOfIntent(members);
  if (members.length > PATH_MEMBERS_MAX) return TOO_LONG;
  if (root !== 'facts') return null;
  if (typeof members[0] === 'number') return '`facts` is not a list: name a control, `facts.order.total`';
  return members.length < 2 ? '`facts` needs a control and a path: `facts.order.total`' : null;
}

function faultOfIntent(members: readonly Step[]): string | null {
  const [root, second] = members;
  if (root === undefined) return '`intent` is an object: compare one of its members';
  if (typeof root === 'number') return '`intent` is not a list';
  if (members.length > PATH_MEMBERS_MAX) return TOO_LONG;
  if (root === 'metadata') {
    if (second === undefined) return '`intent.metadata` is an object: compare one of its members';
    if (second === 'agent' && members.length > 2)
      return '`intent.metadata.agent` is a string and has no members';
    return null;
  }
  if (!INTENT_TYPES.has(root)) {
    return `conditions cannot read ${quoted(`intent.${root}`)}${didYouMean(root, DIGEST_MEMBERS)}`;
  }
  return members.length === 1 ? null : `${quoted(`intent.${root}`)} is not an object and has no members`;
}
