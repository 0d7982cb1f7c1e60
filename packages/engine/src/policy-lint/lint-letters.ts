/** Finds conditions that are case-sensitive in a member of the intent although a match is not. */
import { parseCondition } from '../conditions/parse.ts';
import { partsOf } from '../conditions/path-text.ts';
import type { Node } from '../conditions/tree.ts';
import type { LimitDocument, ProfileDocument } from '../policy/documents.ts';
import { MATCH_MEMBERS } from '../policy/match.ts';
import type { Warn } from './lint-warning.ts';

export function lintLetters(document: ProfileDocument | LimitDocument, warn: Warn): void {
  const parsed = parseCondition(document.when ?? 'true');
  if (parsed.kind === 'fault') return;
  const comparisons = comparisonsIn(parsed.tree);
  const names = MATCH_MEMBERS.filter((member) => comparisons.some((parts) => isOf(parts, member)));
  if (names.length === 0) return;
  warn(
    document,
    '/when',
    `a condition tells upper from lower case, so a caller can change whether this applies by writing ${names.map((member) => `\`intent.${member}\``).join(', ')} in another letter case; use \`match\`, which does not`,
  );
}

/**
 * Expressions that are compared with each other: both sides of an operator, with the elements of a list, and
 * the parts of a call.
 */
function comparisonsIn(node: Node): readonly (readonly Node[])[] {
  const parts = partsOf(node);
  const flat = parts.flatMap((part) => (part.kind === 'list' ? part.elements : [part]));
  const isComparison = node.kind === 'binary' || node.kind === 'call';
  return [...(isComparison ? [flat] : []), ...parts.flatMap(comparisonsIn)];
}

function isOf(parts: readonly Node[], member: string): boolean {
  return (
    parts.some((part) => part.kind === 'path' && part.root === 'intent' && part.members[0] === member) &&
    parts.some(
      (part) => part.kind === 'literal' && typeof part.value === 'string' && /[a-z]/i.test(part.value),
    )
  );
}
