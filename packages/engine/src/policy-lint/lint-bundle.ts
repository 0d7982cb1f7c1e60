/** Finds parts of a bundle that are allowed but most likely a mistake. */
import { durationMs, nearestName, parseInstant } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument, ProfileDocument, Requirement } from '../policy/documents.ts';
import { exactPointerTo, quoted } from '../policy/faults.ts';
import { isGlob, MATCH_MEMBERS } from '../policy/match.ts';
import { isNobodys, NOBODY } from '../policy/nobody.ts';
import { asksByField } from '../policy-compare/compare-profiles.ts';
import { mayShareSystem, mayShareType } from '../policy-compare/cover-match.ts';
import { lintFacts } from './lint-facts.ts';
import { lintLimit } from './lint-limits.ts';
import { lintReach } from './lint-reach.ts';
import { lintConfirmation, lintPermits, lintReview } from './lint-reviews.ts';
import type { LintWarning, Warn } from './lint-warning.ts';
import { isNeverTrue } from './never-true.ts';

/** The bundle must have compiled. */
export function lintBundle(documents: readonly PolicyDocument[], nowMs: number): readonly LintWarning[] {
  const warnings: LintWarning[] = [];
  const warn: Warn = (document, pointer, message) => void warnings.push({ document, pointer, message });
  const controls = new Map<string, ControlDefinition>();
  const signers = new Set<string>();
  for (const document of documents) {
    if (document.kind === 'ControlPack')
      for (const [id, control] of Object.entries(document.controls)) controls.set(id, control);
    if (document.kind === 'EvidenceSource' && document.keys.keys.length > 0) signers.add(document.id);
  }
  const asked = lintRequirements(documents, controls, warn);
  const read = lintFacts(documents, controls, warn);
  const named = new Set(documents.flatMap((one) => (one.kind === 'Workflow' ? (one.profiles ?? []) : [])));
  for (const document of documents) {
    if (document.kind === 'ControlPack') lintControls(document, asked, read, signers, warn);
    if (document.kind === 'Limit') lintLimit(document, warn);
    if (document.kind === 'Profile') lintProfile(document, named.has(document.id), signers, controls, warn);
    if (document.kind === 'EvidenceSource' && document.keys.keys.length === 0)
      warn(document, '/keys/keys', 'without a key nobody can sign as this source');
    else if (document.kind === 'EvidenceSource' && document.id === NOBODY)
      warn(
        document,
        '/id',
        `\`${NOBODY}\` is for controls that nobody may satisfy; give this source another id`,
      );
    if ('observeUntil' in document && document.observeUntil !== undefined) {
      const until = parseInstant(document.observeUntil);
      if (until !== null && until.ms <= nowMs)
        warn(document, '/observeUntil', 'this time has passed: it now enforces, so you can remove `observe`');
    }
  }
  const profiles = documents.filter((document): document is ProfileDocument => document.kind === 'Profile');
  lintAbsentMembers(
    profiles.filter(({ permit }) => permit !== true),
    warn,
  );
  lintPermits(profiles, warn);
  lintReach(
    profiles,
    documents.find((document) => document.kind === 'Defaults'),
    warn,
  );
  if (!documents.some(({ kind }) => kind === 'PolicyTest') && documents[0] !== undefined)
    warn(documents[0], '', 'the bundle has no PolicyTest; add one to show that it decides as intended');
  return warnings;
}

/** The controls that some document requires. */
function lintRequirements(
  documents: readonly PolicyDocument[],
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): ReadonlySet<string> {
  const asked = new Set<string>();
  const ask = (document: PolicyDocument, pointer: string, id: string) => {
    asked.add(id);
    if (controls.has(id) || controls.size === 0) return;
    const near = nearestName(id, [...controls.keys()].slice(0, 200));
    const hint = near === null ? '' : `; did you mean ${quoted(near)}`;
    warn(document, pointer, `no pack defines ${quoted(id)}, so any source and any age is accepted${hint}`);
  };
  for (const document of documents) {
    if (document.kind === 'Limit' && typeof document.beyond === 'object')
      for (const id of document.beyond.require) asked.add(id);
    if (document.kind !== 'Profile' && document.kind !== 'Workflow') continue;
    document.require?.forEach((requirement: Requirement, index) => {
      ask(document, `/require/${index}`, typeof requirement === 'string' ? requirement : requirement.control);
    });
    if (document.kind === 'Profile' && typeof document.authority === 'object') {
      if (document.authority.attestedBy !== undefined)
        ask(document, '/authority/attestedBy', document.authority.attestedBy);
      if (document.authority.confirmedBy !== undefined) asked.add(document.authority.confirmedBy);
    }
  }
  return asked;
}

function lintControls(
  document: Extract<PolicyDocument, { kind: 'ControlPack' }>,
  asked: ReadonlySet<string>,
  read: ReadonlySet<string>,
  signers: ReadonlySet<string>,
  warn: Warn,
): void {
  for (const [id, control] of Object.entries(document.controls)) {
    const pointer = exactPointerTo('/controls', id);
    const isOutOfReach =
      control.review === undefined && !canBeSigned(control, signers) && !isNobodys(control);
    if (control.assurance === 'attested' && isOutOfReach)
      warn(
        document,
        pointer,
        `${quoted(id)} can never be satisfied: no source it accepts has a key to sign with`,
      );
    if (control.assurance !== 'attested' && isNobodys(control))
      warn(
        document,
        pointer,
        `an agent satisfies ${quoted(id)} by naming \`${NOBODY}\` as its source: set \`assurance: attested\``,
      );
    if (control.maxAge !== undefined && durationMs(control.maxAge) === 0)
      warn(
        document,
        `${pointer}/maxAge`,
        `${quoted(id)} can hardly be satisfied: all evidence is older than ${control.maxAge}`,
      );
    if (!asked.has(id) && !read.has(id))
      warn(document, pointer, `nothing in the bundle requires ${quoted(id)}`);
    lintReview(document, id, control, signers, warn);
  }
}

function canBeSigned({ sources }: ControlDefinition, signers: ReadonlySet<string>): boolean {
  return sources === undefined ? signers.size > 0 : sources.some((source) => signers.has(source));
}

function lintProfile(
  profile: ProfileDocument,
  isNamed: boolean,
  signers: ReadonlySet<string>,
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): void {
  if (profile.when !== undefined && isNeverTrue(profile.when, exactValues(profile)))
    warn(profile, '/when', `this can never be true: ${whenItApplies(profile, isNamed)}`);
  const asksNothing =
    profile.permit !== true &&
    (profile.require ?? []).length === 0 &&
    profile.authority === undefined &&
    profile.compare === undefined &&
    !asksByField(profile) &&
    profile.writePolicy !== 'block_on_mismatch';
  if (asksNothing)
    warn(
      profile,
      '',
      'it requires nothing, so every write it matches pauses with `authority_unverified` unless the caller sends authority for the same value, or another profile that covers the write requires a control; set `permit: true` if it should need nothing',
    );
  lintConfirmation(profile, warn);
  if (typeof profile.authority === 'object' && profile.authority.attestedBy !== undefined) {
    if (!canBeSigned(controls.get(profile.authority.attestedBy) ?? {}, signers))
      warn(
        profile,
        '/authority/attestedBy',
        'authority can never be attested: no accepted source has a key to sign with',
      );
  }
}

/** What a profile does if its condition never holds. */
function whenItApplies({ permit }: ProfileDocument, isNamed: boolean): string {
  if (permit === true) return 'it permits nothing';
  return `the profile applies only if ${isNamed ? 'a workflow names it or ' : ''}what the condition reads is missing`;
}

/**
 * A member that a write omits counts as matching, so field and operation profiles catch each other's writes.
 */
function lintAbsentMembers(profiles: readonly ProfileDocument[], warn: Warn): void {
  const byField = profiles.filter(({ match }) => match?.field !== undefined && match.operation === undefined);
  const byOperation = profiles.filter(
    ({ match }) => match?.operation !== undefined && match.field === undefined,
  );
  const tell = (profile: ProfileDocument, left: string, other: ProfileDocument | undefined) => {
    if (other === undefined || profile.absent === 'skip') return;
    warn(
      profile,
      `/match/${left}`,
      `it also applies to writes without ${quoted(left)}, such as those of ${quoted(other.id)}, because an omitted member counts as matching; set \`absent: skip\` to skip those with an \`${left === 'field' ? 'operation' : 'field'}\` instead`,
    );
  };
  for (const profile of byField) {
    // An operation may also omit the object type, so only the system separates them.
    const other = byOperation.find(({ match }) => mayShareSystem(profile.match!, match!));
    tell(profile, 'field', other);
  }
  for (const profile of byOperation) {
    const other = byField.find(
      ({ match }) => mayShareSystem(profile.match!, match!) && mayShareType(profile.match!, match!),
    );
    tell(profile, 'operation', other);
  }
}

/** Patterns ignore case and conditions do not, so only values without letters in two cases are known exactly. */
function exactValues({ match = {} }: ProfileDocument): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const member of MATCH_MEMBERS) {
    const pattern = match[member];
    if (pattern === undefined) continue;
    const list = typeof pattern === 'string' ? [pattern] : pattern;
    if (list.some((one) => isGlob(one) || /[a-z]/i.test(one))) continue;
    known.set(member, list);
  }
  return known;
}
