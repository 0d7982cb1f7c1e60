/** Seeded edits of a bundle, as a person would make them: mostly one small change, in either direction. */
import type {
  DefaultsDocument,
  Match,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from '../src/policy/documents.ts';
import { CONDITIONS } from './conditions.ts';
import type { Dice } from './dice.ts';
import {
  BASE_MS,
  CONTROL_IDS,
  generateAuthority,
  generateControl,
  generateMatch,
  generatePermit,
  generateUnmatched,
  PATTERNS,
  PUBLIC_KEY,
  REVIEWS,
  reviewableControls,
} from './generate-bundle.ts';

type Loose<T> = { -readonly [K in keyof T]?: T[K] | undefined };

const CLIMATE = { modes: [], onUnmetBlocks: 40, onFailedPauses: 40 };
const THRESHOLDS = Object.keys(CONDITIONS).filter((text) =>
  /^intent\.metadata\.context\.amount > [0-9.]+$/.test(text),
);
const MEMBERS = ['system', 'objectType', 'field', 'operation'] as const;

export function editBundle(dice: Dice, documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  let edited = structuredClone(documents) as PolicyDocument[];
  for (let edits = dice.pick([1, 1, 1, 2, 3]); edits > 0; edits -= 1) edited = editOnce(dice, edited);
  return edited;
}

function editOnce(dice: Dice, documents: PolicyDocument[]): PolicyDocument[] {
  if (dice.chance(25)) return addOrRemove(dice, documents);
  if (documents.length === 0) return documents;
  const at = dice.roll(documents.length);
  const next = withoutUndefined(editDocument(dice, documents[at]!, documents));
  return documents.map((document, index) => (index === at ? next : document));
}

function withoutUndefined(document: PolicyDocument): PolicyDocument {
  return JSON.parse(JSON.stringify(document)) as PolicyDocument;
}

function editDocument(
  dice: Dice,
  document: PolicyDocument,
  documents: readonly PolicyDocument[],
): PolicyDocument {
  switch (document.kind) {
    case 'ControlPack': {
      const ids = Object.keys(document.controls);
      if (ids.length === 0) return document;
      const id = dice.pick(ids);
      const fresh = generateControl(dice, CLIMATE);
      const members = [
        'maxAge',
        'sources',
        'assurance',
        'use',
        'bind',
        'onUnmet',
        'onFailed',
        'review',
      ] as const;
      const member = dice.pick(members);
      const control = { ...document.controls[id], [member]: fresh[member] };
      if (member === 'review' && dice.chance(50)) control.review = dice.pick(REVIEWS);
      if (member === 'maxAge' && dice.chance(50)) control.maxAge = dice.pick(['60s', '15m', '1h']);
      if (dice.chance(10)) {
        const { [id]: _gone, ...controls } = document.controls;
        return { ...document, controls };
      }
      return { ...document, controls: { ...document.controls, [id]: control } };
    }
    case 'Profile':
      return editProfile(dice, { ...document }, reviewableControls(documents)) as ProfileDocument;
    case 'Workflow':
      return editWorkflow(dice, { ...document }, documents) as WorkflowDocument;
    case 'Defaults':
      return dice.chance(40)
        ? ({ ...document, unmatched: editUnmatched(dice, document.unmatched) } as PolicyDocument)
        : ({ ...document, ...generateMode(dice) } as PolicyDocument);
    case 'EvidenceSource':
      return { ...document, keys: { keys: dice.chance(50) ? [] : [PUBLIC_KEY] } };
    case 'Limit':
    case 'PolicyTest':
      return document;
  }
}

function editUnmatched(dice: Dice, unmatched: DefaultsDocument['unmatched']): DefaultsDocument['unmatched'] {
  if (unmatched === undefined) return generateUnmatched(dice);
  if (dice.chance(30)) return undefined;
  if (unmatched === 'pause') return { pause: generateMatch(dice) };
  const member = dice.pick(MEMBERS);
  const pattern = dice.chance(60) ? undefined : dice.pick(PATTERNS[member]);
  return dice.chance(30) ? 'pause' : { pause: { ...unmatched.pause, [member]: pattern } as Match };
}

function generateMode(dice: Dice) {
  const writePolicy = dice.pick(['observe', 'enforce', 'block_on_mismatch', undefined] as const);
  const observeUntil =
    writePolicy === 'observe' && dice.chance(50)
      ? new Date(BASE_MS + dice.pick([-60_000, -1, 0, 1, 60_000])).toISOString()
      : undefined;
  return { writePolicy, observeUntil };
}

function editRequire(dice: Dice, require: readonly Requirement[] = []): readonly Requirement[] {
  if (require.length > 0 && dice.chance(30)) return require.slice(1);
  return [...require, dice.pick(CONTROL_IDS)];
}

function editProfile(
  dice: Dice,
  profile: Loose<ProfileDocument>,
  reviewable: readonly string[],
): Loose<ProfileDocument> {
  if (dice.chance(6)) return { ...profile, permit: profile.permit === true ? undefined : true };
  if (dice.chance(6)) return { ...profile, authority: { required: false } };
  if (dice.chance(6))
    return dice.chance(50)
      ? {
          ...profile,
          different: dice.pick([undefined, ['identity', 'approval'], ['identity', 'approval', 'dual']]),
        }
      : { ...profile, requester: dice.pick([undefined, 'required'] as const) };
  switch (dice.roll(8)) {
    case 0:
    case 1:
      return { ...profile, require: editRequire(dice, profile.require) };
    case 2:
      return { ...profile, ...generateMode(dice) };
    case 3:
      return {
        ...profile,
        compare: dice.pick([undefined, undefined, 'number', 'caseless', 'trimmed', 'instant'] as const),
      };
    case 4:
      return { ...profile, authority: dice.chance(30) ? 'required' : generateAuthority(dice, reviewable) };
    case 5: {
      const member = dice.pick(MEMBERS);
      const pattern = dice.chance(60) ? undefined : dice.pick(PATTERNS[member]);
      return { ...profile, match: { ...profile.match, [member]: pattern } as ProfileDocument['match'] };
    }
    case 6:
      if (profile.when !== undefined && THRESHOLDS.includes(profile.when))
        return { ...profile, when: dice.pick(THRESHOLDS) };
      return { ...profile, when: dice.chance(70) ? undefined : dice.pick(Object.keys(CONDITIONS)) };
    default:
      return dice.chance(60)
        ? { ...profile, absent: profile.absent === 'skip' ? undefined : 'skip' }
        : { ...profile, id: dice.pick(['p-a', 'p-z']) };
  }
}

function editWorkflow(
  dice: Dice,
  workflow: Loose<WorkflowDocument>,
  documents: readonly PolicyDocument[],
): Loose<WorkflowDocument> {
  const profileIds = documents.flatMap((document) => (document.kind === 'Profile' ? [document.id] : []));
  switch (dice.roll(3)) {
    case 0:
      return { ...workflow, require: editRequire(dice, workflow.require) };
    case 1:
      return { ...workflow, ...generateMode(dice) };
    default:
      if (profileIds.length === 0) return workflow;
      return dice.chance(25)
        ? { ...workflow, profiles: [] }
        : { ...workflow, profiles: [...(workflow.profiles ?? []), dice.pick(profileIds)] };
  }
}

function addOrRemove(dice: Dice, documents: PolicyDocument[]): PolicyDocument[] {
  if (documents.length > 0 && dice.chance(30)) {
    const at = dice.roll(documents.length);
    return documents.filter((_, index) => index !== at);
  }
  const added = dice.pick<() => PolicyDocument>([
    () => newProfile(dice),
    () => newProfile(dice),
    () => newProfile(dice),
    () => newWorkflow(dice, documents),
    () => generatePermit(dice, ['observe', 'enforce', undefined]),
    () => ({ kind: 'ControlPack', id: 'more', controls: { unlisted: generateControl(dice, CLIMATE) } }),
    () => ({ kind: 'Defaults', unmatched: generateUnmatched(dice) }),
    () => ({
      kind: 'EvidenceSource',
      id: dice.pick(['desk', 'okta']),
      keys: { keys: dice.chance(50) ? [] : [PUBLIC_KEY] },
    }),
  ])();
  return [...documents, added];
}

function newWorkflow(dice: Dice, documents: readonly PolicyDocument[]): PolicyDocument {
  const profiles = documents.flatMap((document) => (document.kind === 'Profile' ? [document.id] : []));
  const base: Loose<WorkflowDocument> = {
    kind: 'Workflow',
    id: dice.pick(['w1', 'w2', 'w3']),
    require: dice.chance(70) ? editRequire(dice) : undefined,
    profiles: profiles.length > 0 && dice.chance(50) ? [dice.pick(profiles)] : undefined,
    ...(dice.chance(50) ? generateMode(dice) : {}),
  };
  return withoutUndefined(base as WorkflowDocument);
}

function newProfile(dice: Dice): PolicyDocument {
  const base: Loose<ProfileDocument> = {
    kind: 'Profile',
    id: dice.pick(['p-a', 'p-n']),
    match: dice.chance(80) ? generateMatch(dice) : undefined,
    require: dice.chance(80) ? editRequire(dice) : undefined,
    when: dice.chance(25) ? dice.pick(Object.keys(CONDITIONS)) : undefined,
    authority: dice.chance(50) ? 'required' : undefined,
    compare: dice.chance(12) ? dice.pick(['number', 'caseless'] as const) : undefined,
    ...(dice.chance(35)
      ? generateMode(dice)
      : { writePolicy: dice.pick(['enforce', 'block_on_mismatch', undefined] as const) }),
  };
  return withoutUndefined(base as ProfileDocument);
}
