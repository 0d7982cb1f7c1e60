/** Which profile or workflow requires which control: controls are rows, the others columns. */
import type {
  ControlDefinition,
  Pattern,
  PolicyDocument,
  ProfileDocument,
  Requirement,
  WorkflowDocument,
} from '@writecheck/engine';

export interface Place {
  readonly kind: 'Profile' | 'Workflow';
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
  }
  // A control that no pack defines is still required.
  for (const { own } of places)
    for (const id of own) if (!controls.has(id)) controls.set(id, { id, definition: null, pack: null });
  const rankOf = ({ kind }: Place) => (kind === 'Profile' ? 0 : 1);
  return {
    controls: [...controls.values()].sort((a, b) => a.id.localeCompare(b.id)),
    places: places.sort((a, b) => rankOf(a) - rankOf(b) || a.id.localeCompare(b.id)),
  };
}

function profilePlace(profile: ProfileDocument): Place {
  const { id, match = {}, when, require = [], authority, writePolicy } = profile;
  const parts = [match.system, match.objectType, match.field, match.operation]
    .filter((part) => part !== undefined)
    .map(patternText);
  return {
    kind: 'Profile',
    id,
    mode: writePolicy ?? 'enforce',
    reach: parts.length === 0 ? 'every write' : parts.join(' · '),
    when: when ?? null,
    profiles: [],
    own: new Set(require.map(controlOf)),
    inherited: new Set(),
    asksForAuthority:
      authority === 'required' || (typeof authority === 'object' && authority.required !== false),
  };
}

function workflowPlace(workflow: WorkflowDocument, profiles: ReadonlyMap<string, ProfileDocument>): Place {
  const { id, profiles: named = [], require = [], writePolicy } = workflow;
  const inherited = named.flatMap((each) => (profiles.get(each)?.require ?? []).map(controlOf));
  return {
    kind: 'Workflow',
    id,
    mode: writePolicy ?? 'enforce',
    reach: `writes that name ${id}`,
    when: null,
    profiles: named,
    own: new Set(require.map(controlOf)),
    inherited: new Set(inherited),
    asksForAuthority: false,
  };
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
    maxAge === undefined ? 'any age' : `up to ${maxAge} old`,
    sources === undefined ? 'any source' : `from ${sources.join(' or ')}`,
    ...(assurance === 'attested' ? [`signed${bind === 'object' ? ' for the object' : ''}`] : []),
    ...(use === 'once' ? ['single use'] : []),
    ...(review === undefined ? [] : ['or a person approves']),
    ...(onUnmet === 'block' ? ['blocks when unmet'] : []),
    ...(onFailed === 'pause' ? ['pauses when failed'] : []),
  ];
}
