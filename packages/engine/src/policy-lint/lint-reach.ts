/** Finds members that a caller may add or omit to change which rules apply. */
import type { DefaultsDocument, ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { coversMatch, mayShareSystem } from '../policy-compare/cover-match.ts';
import { membersRead, onlySideOf } from '../policy-compare/spoken-sides.ts';
import type { Warn } from './lint-warning.ts';

export function lintReach(
  profiles: readonly ProfileDocument[],
  defaults: DefaultsDocument | undefined,
  warn: Warn,
): void {
  for (const profile of profiles) {
    lintConditionReads(profile, warn);
    if (profile.permit !== true) lintUnspokenOperations(profile, profiles, defaults, warn);
  }
}

const ADDABLE = ['workflowId', 'authorityFound', 'authorityValue', 'authoritySource', 'operation'];
/** A write without `operation` must have these. */
const OF_A_FIELD = ['field', 'objectType', 'objectRef', 'agentValue'];

function lintConditionReads(profile: ProfileDocument, warn: Warn): void {
  const { match = {}, when } = profile;
  if (when === undefined) return;
  const read = membersRead(when);
  const isThere = (member: string) =>
    Object.hasOwn(match, member) || (match.field !== undefined && OF_A_FIELD.includes(member));
  const added = [...ADDABLE, ...OF_A_FIELD].filter((member) => read.has(member) && !isThere(member));
  if (added.length === 0) return;
  const names = added.map((member) => `\`intent.${member}\``).join(', ');
  warn(
    profile,
    '/when',
    `a caller can change whether this applies by adding ${names}, which such a write need not have`,
  );
}

/** Naming another field beside an operation ends the match, and then no profile is about the operation. */
function lintUnspokenOperations(
  profile: ProfileDocument,
  profiles: readonly ProfileDocument[],
  defaults: DefaultsDocument | undefined,
  warn: Warn,
): void {
  if (onlySideOf(profile) !== 'field' || profile.match?.field === undefined) return;
  const { system } = profile.match;
  const spoken = profiles.some(
    (other) =>
      other.permit !== true &&
      onlySideOf(other) !== 'field' &&
      mayShareSystem(other.match ?? {}, profile.match!),
  );
  const scope = defaults?.unmatched === 'pause' ? {} : defaults?.unmatched?.pause;
  const pauses =
    scope !== undefined && coversMatch({ match: scope }, { match: system === undefined ? {} : { system } });
  if (spoken || pauses) return;
  warn(
    profile,
    '/match/field',
    `no profile is about operations${system === undefined ? '' : ` in ${quoted([system].flat().join(', '))}`}: a caller that sends an operation and another field avoids this profile; add a profile for operations, or \`unmatched: pause\``,
  );
}
