/** Which profile or workflow requires which control: controls are rows, the others columns. */
import type {
  ControlDefinition,
  LimitDocument,
  Pattern,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from '@writecheck/engine';
import { durationWords } from '../../picture/durations.ts';

export interface Place {
  readonly kind: 'Profile' | 'Workflow' | 'Limit';
  readonly id: string;
  readonly mode: string;
  /** Such as `erp · vendor · iban, bic`. */
  readonly reach: string;
  readonly when: string | null;
  /** A workflow's profiles. */
  readonly profiles: readonly string[];
  /** IDs of the controls it requires itself. */
  readonly own: ReadonlySet<string>;
  /** IDs of the controls its profiles require. */
  readonly inherited: ReadonlySet<string>;
  /** Controls it uses without requiring them: one that confirms the value, or whose facts it reads. */
  readonly uses: ReadonlyMap<string, 'confirms' | 'read'>;
  readonly asksForAuthority: boolean;
}

export interface ControlRow {
  readonly id: string;
  readonly definition: ControlDefinition | null;
  readonly pack: string | null;
}

export interface RequirementMap {
  readonly controls: readonly ControlRow[];
  readonly places: readonly Place[];
}

const RANKS: readonly Place['kind'][] = ['Profile', 'Workflow', 'Limit'];

export function requirementMap(documents: readonly PolicyDocument[]): RequirementMap {
  const profiles = new Map<string, ProfileDocument>();
  const controls = new Map<string, ControlRow>();
  for (const document of documents) {
    if (document.kind === 'Profile') profiles.set(document.id, document);
    if (document.kind !== 'ControlPack') continue;
    for (const [id, definition] of Object.entries(document.controls))
      controls.set(id, { id, definition, pack: document.id });
  }
  const places: Place[] = [];
  for (const document of documents) {
    if (document.kind === 'Profile') places.push(profilePlace(document));
    if (document.kind === 'Workflow') places.push(workflowPlace(document, profiles));
    if (document.kind === 'Limit') places.push(limitPlace(document));
  }
  // A control that no pack defines is still required.
  for (const { own, uses } of places)
    for (const id of [...own, ...uses.keys()])
      if (!controls.has(id)) controls.set(id, { id, definition: null, pack: null });
  const rankOf = ({ kind }: Place) => RANKS.indexOf(kind);
  return {
    controls: [...controls.values()].sort((a, b) => a.id.localeCompare(b.id)),
    places: places.sort((a, b) => rankOf(a) - rankOf(b) || a.id.localeCompare(b.id)),
  };
}

/** What few places have. */
const PLAIN = {
  when: null,
  profiles: [],
  inherited: new Set<string>(),
  uses: new Map<string, 'confirms' | 'read'>(),
  asksForAuthority: false,
};

function profilePlace(profile: ProfileDocument): Place {
  const { id, match = {}, when, require = [], authority, writePolicy } = profile;
  return {
    ...PLAIN,
    kind: 'Profile',
    id,
    mode: writePolicy ?? 'enforce',
    reach: reachOf(match),
    when: when ?? null,
    own: new Set(require.map(controlOf)),
    uses: usesOf(authority, when),
    asksForAuthority:
      authority === 'required' || (typeof authority === 'object' && authority.required !== false),
  };
}

function workflowPlace(workflow: WorkflowDocument, profiles: ReadonlyMap<string, ProfileDocument>): Place {
  const { id, profiles: named = [], require = [], writePolicy } = workflow;
  const inherited = named.flatMap((each) => (profiles.get(each)?.require ?? []).map(controlOf));
  return {
    ...PLAIN,
    kind: 'Workflow',
    id,
    mode: writePolicy ?? 'enforce',
    reach: `writes that name ${id}`,
    profiles: named,
    own: new Set(require.map(controlOf)),
    inherited: new Set(inherited),
  };
}

function limitPlace({ id, match = {}, when, beyond, by = [], sum = '', writePolicy }: LimitDocument): Place {
  return {
    ...PLAIN,
    kind: 'Limit',
    id,
    mode: writePolicy ?? 'enforce',
    reach: reachOf(match),
    when: when ?? null,
    own: new Set(typeof beyond === 'object' ? beyond.require : []),
    uses: usesOf(undefined, [when, sum, ...by].join(' ')),
  };
}

function reachOf({ system, objectType, field, operation }: NonNullable<ProfileDocument['match']>): string {
  const parts = [system, objectType, field, operation].filter((part) => part !== undefined);
  return parts.length === 0 ? 'every write' : parts.map(patternText).join(' · ');
}

/** `text` holds paths such as `facts.order.total`. */
function usesOf(authority: ProfileDocument['authority'], text = ''): Place['uses'] {
  const read = [...text.matchAll(/\bfacts\.(\w+)|\bfacts\["([^"]+)"\]/g)].map(
    ([, bare, inQuotes]) => bare ?? inQuotes!,
  );
  const { confirmedBy, attestedBy } = typeof authority === 'object' ? authority : {};
  const confirming = [confirmedBy, attestedBy].filter((control) => control !== undefined);
  return new Map([
    ...read.map((control) => [control, 'read'] as const),
    ...confirming.map((control) => [control, 'confirms'] as const),
  ]);
}

function controlOf(requirement: Requirement): string {
  return typeof requirement === 'string' ? requirement : requirement.control;
}

function patternText(pattern: Pattern): string {
  return typeof pattern === 'string' ? pattern : pattern.join(', ');
}

/** What a control requires of its evidence, in a few words. */
export function controlTraits({ definition }: ControlRow): readonly string[] {
  if (definition === null) return ['any source, any age'];
  const { maxAge, sources, assurance, use, bind, onUnmet, onFailed, review } = definition;
  return [
    maxAge === undefined ? 'any age' : `up to ${durationWords(maxAge)} old`,
    sources === undefined ? 'any source' : `from ${sources.join(' or ')}`,
    ...(assurance === 'attested' ? [`signed${bind === 'object' ? ' for the object' : ''}`] : []),
    ...(use === 'once' ? ['single use'] : []),
    ...(review === undefined ? [] : ['or a person approves']),
    ...(onUnmet === 'block' ? ['blocks when unmet'] : []),
    ...(onFailed === 'pause' ? ['pauses when failed'] : []),
  ];
}
