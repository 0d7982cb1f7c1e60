/** Turns a bundle without faults into the snapshot that decisions read. */
import { parseInstant, type WritePolicy } from '@writecheck/contract';
import type { CompiledCondition } from './condition.ts';
import type {
  ControlDefinition,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from './documents.ts';
import { durationMs } from './duration.ts';
import { specificityOf } from './match.ts';
import { indexProfiles } from './profile-index.ts';
import type {
  Control,
  EvidenceKeys,
  Mode,
  PolicySnapshot,
  Profile,
  RequiredControl,
  Workflow,
} from './snapshot.ts';

type ControlOf = (controlId: string) => Control;

/** `documents` must be in order of kind and id. */
export function buildSnapshot(
  documents: readonly PolicyDocument[],
  conditions: ReadonlyMap<ProfileDocument, CompiledCondition>,
  digest: string | null,
): PolicySnapshot {
  const controls = new Map<string, Control>();
  for (const document of documents) {
    if (document.kind !== 'ControlPack') continue;
    for (const [id, definition] of Object.entries(document.controls))
      controls.set(id, controlFrom(id, definition));
  }
  const controlOf: ControlOf = (id) => controls.get(id) ?? controlFrom(id, {});

  const profileDocuments = documents.filter((document) => document.kind === 'Profile');
  const profiles = new Map<string, Profile>();
  for (const document of profileDocuments) {
    profiles.set(document.id, profileFrom(document, conditions.get(document) ?? null, controlOf));
  }
  const workflows = new Map<string, Workflow>();
  const evidenceSources = new Map<string, EvidenceKeys>();
  for (const document of documents) {
    if (document.kind === 'Workflow') workflows.set(document.id, workflowFrom(document, profiles, controlOf));
    if (document.kind === 'EvidenceSource') {
      evidenceSources.set(document.id, Object.freeze({ id: document.id, keys: document.keys.keys }));
    }
  }
  const defaults = documents.find((document) => document.kind === 'Defaults');
  return Object.freeze({
    digest,
    defaultMode: modeFrom(defaults ?? {}),
    unmatchedPauses: defaults?.unmatched === 'pause',
    workflows,
    controls,
    evidenceSources,
    controlOf,
    matchingProfiles: indexProfiles(
      profileDocuments.map((document) => ({
        profile: profiles.get(document.id)!,
        match: document.match ?? {},
        skipsAbsent: document.absent === 'skip',
      })),
    ),
  });
}

function controlFrom(id: string, definition: ControlDefinition): Control {
  return Object.freeze({
    id,
    maxAgeMs: definition.maxAge === undefined ? null : durationMs(definition.maxAge),
    sources: definition.sources ?? null,
    assurance: definition.assurance ?? 'asserted',
    useOnce: definition.use === 'once',
    bindObject: definition.bind === 'object',
    onUnmet: definition.onUnmet ?? 'pause',
    onFailed: definition.onFailed ?? 'block',
  });
}

function profileFrom(
  document: ProfileDocument,
  condition: CompiledCondition | null,
  controlOf: ControlOf,
): Profile {
  const authority = document.authority ?? { required: false };
  const details = authority === 'required' ? {} : authority;
  return Object.freeze({
    id: document.id,
    version: document.version ?? null,
    ref:
      document.version === undefined
        ? `profile:${document.id}`
        : `profile:${document.id}@${document.version}`,
    controlPackId: document.controlPack ?? null,
    specificity: specificityOf(document.match ?? {}),
    matchesOnField: document.match?.field !== undefined,
    require: requireFrom(document.require, controlOf),
    authorityRequired: details.required ?? true,
    authoritySources: details.sources ?? null,
    attestedBy: details.attestedBy === undefined ? null : controlOf(details.attestedBy),
    compare: document.compare ?? null,
    mode: modeFrom(document),
    conditionReadsValues: condition?.readsValues ?? false,
    when: condition?.evaluate ?? null,
  });
}

function workflowFrom(
  document: WorkflowDocument,
  profiles: ReadonlyMap<string, Profile>,
  controlOf: ControlOf,
): Workflow {
  const ids = [...new Set(document.profiles ?? [])].sort();
  return Object.freeze({
    id: document.id,
    ref: `workflow:${document.id}`,
    profiles: Object.freeze(ids.map((id) => profiles.get(id)!)),
    require: requireFrom(document.require, controlOf),
    mode: modeFrom(document),
  });
}

function requireFrom(
  require: readonly Requirement[] | undefined,
  controlOf: ControlOf,
): readonly RequiredControl[] {
  const required = (require ?? []).map((requirement) =>
    Object.freeze(
      typeof requirement === 'string'
        ? { control: controlOf(requirement), promotedFrom: null }
        : { control: controlOf(requirement.control), promotedFrom: requirement.promotedFrom ?? null },
    ),
  );
  return Object.freeze(required);
}

function modeFrom(document: { readonly writePolicy?: WritePolicy; readonly observeUntil?: string }): Mode {
  const until = document.observeUntil === undefined ? null : parseInstant(document.observeUntil);
  return Object.freeze({ writePolicy: document.writePolicy ?? 'enforce', observeUntilMs: until?.ms ?? null });
}

/** What holds for a workspace that never applied a bundle. */
export const EMPTY_SNAPSHOT: PolicySnapshot = buildSnapshot([], new Map(), null);
