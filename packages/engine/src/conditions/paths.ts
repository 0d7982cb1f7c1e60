/** What conditions may read: the members that the digest covers, and what is known of their types in advance. */
import { DIGEST_MEMBERS } from '@writecheck/contract';
import { didYouMean, quoted } from '../policy/faults.ts';
import { BOOL, SCALARS, STRING } from './type-names.ts';

const PATH_MEMBERS_MAX = 32;
const ROOT_TYPES: ReadonlyMap<string, number> = new Map(
  DIGEST_MEMBERS.filter((member) => member !== 'metadata').map((member) => [
    member as string,
    member === 'authorityFound' ? BOOL : STRING,
  ]),
);

export function rootTypeOf(members: readonly string[]): number {
  if (members[0] === 'metadata') return members.length === 2 && members[1] === 'agent' ? STRING : SCALARS;
  return ROOT_TYPES.get(members[0]!)!;
}

export function faultOfPath(members: readonly string[]): string | null {
  const [root, second] = members;
  if (root === undefined) return '`intent` is an object: compare one of its members';
  if (members.length > PATH_MEMBERS_MAX) return `a path may have ${PATH_MEMBERS_MAX} members`;
  if (root === 'metadata') {
    if (second === undefined) return '`intent.metadata` is an object: compare one of its members';
    if (second === 'context' && members.length === 2)
      return '`intent.metadata.context` is an object: compare one of its members';
    if (second === 'agent' && members.length > 2)
      return '`intent.metadata.agent` is a string and has no members';
    return null;
  }
  if (!ROOT_TYPES.has(root)) {
    return `conditions cannot read ${quoted(`intent.${root}`)}${didYouMean(root, DIGEST_MEMBERS)}`;
  }
  return members.length === 1 ? null : `${quoted(`intent.${root}`)} is not an object and has no members`;
}
