/** Maps an AuthZEN evaluation to the action request that is decided and recorded. */
import { DEPTH_MAX } from './limits.ts';
import { knownNameMeantBy, knownNames } from './member-spelling.ts';
import { intentFromStrictJson, type ParsedIntent } from './parse-intent.ts';
import { isObject, kindOf } from './read-member.ts';
import { shortened } from './shown-input.ts';

type Members = { readonly [member: string]: unknown };
export type MappedEvaluation =
  /** `request` is the action request as it is recorded: with the members that are ignored with a warning. */
  | (Extract<ParsedIntent, { kind: 'intent' }> & { readonly request: Members })
  | { readonly kind: 'faulty'; readonly message: string };

/** For an evaluation that names no system. */
const OWN_SYSTEM = 'authzen';

const CONTEXT_MEMBERS = [
  'write',
  'authority',
  'required_controls',
  'control_evidence',
  'workflow_id',
  'run_id',
] as const;
const MAPPED: ReadonlySet<string> = new Set(CONTEXT_MEMBERS);
/** INVARIANT: a misspelt one is refused; ignoring it would drop a requirement or move the write to another system. */
const GUARDED = knownNames(CONTEXT_MEMBERS.filter((name) => name !== 'run_id'));

/** Where the members of an intent come from, for messages. */
const PLACES: { readonly [member: string]: string } = {
  system: '/context/write/system',
  field: '/context/write/field',
  agentValue: '/context/write/value',
  objectType: '/resource/type',
  objectRef: '/resource/id',
  operation: '/action/name',
  authorityFound: '/context/authority/found',
  authorityValue: '/context/authority/value',
  authoritySource: '/context/authority/source',
  requiredControls: '/context/required_controls',
  controlEvidence: '/context/control_evidence',
  workflowId: '/context/workflow_id',
  runId: '/context/run_id',
};

const NOTHING: Members = {};

/**
 * `defaults` are the top-level members of a batch; `listed` names the other members of `context` that are part of the
 * write. INVARIANT: `value` and `defaults` are strict JSON.
 */
export function mapEvaluation(
  value: unknown,
  defaults: Members,
  listed: readonly string[],
): MappedEvaluation {
  if (!isObject(value)) return faulty([`the evaluation must be an object, not ${kindOf(value)}`]);
  const faults: string[] = [];
  const subject = readEntity(value, defaults, 'subject', ['type', 'id'], faults);
  const action = readEntity(value, defaults, 'action', ['name'], faults);
  const resource = readEntity(value, defaults, 'resource', ['type', 'id'], faults);
  const context = readObject(value.context ?? defaults.context ?? NOTHING, '/context', faults);
  refuseNull(context, '/context', CONTEXT_MEMBERS, faults);
  for (const name of Object.keys(context)) {
    const meant = MAPPED.has(name) ? null : knownNameMeantBy(name, GUARDED);
    if (meant !== null)
      faults.push(`unknown member \`${shortened(name)}\` of \`/context\`, did you mean \`${meant}\``);
  }
  const write = readPart(context, 'write', ['system', 'field', 'value'], faults);
  const authority = readPart(context, 'authority', ['found', 'value', 'source'], faults);
  if (faults.length > 0) return faulty(faults);

  const metadata = {
    agent: actorOf(subject),
    context: {
      subject: { type: subject.type, id: subject.id, ...propertiesOf(subject) },
      ...ifAny('resource', propertiesOf(resource)),
      ...ifAny('action', propertiesOf(action)),
      ...ifAny('request', listedMembers(context, listed)),
    },
  };
  const request = {
    system: write.system ?? OWN_SYSTEM,
    objectType: resource.type,
    objectRef: resource.id,
    field: write.field,
    agentValue: write.value,
    authorityValue: authority.value,
    authoritySource: authority.source,
    authorityFound: authority.found,
    operation: action.name,
    workflowId: context.workflow_id,
    runId: context.run_id,
    requiredControls: context.required_controls,
    controlEvidence: context.control_evidence,
    metadata,
  };
  const parsed = intentFromStrictJson(request, null);
  if (parsed.kind === 'refused')
    return faulty(parsed.details.map(({ pointer, message }) => `\`${placeOf(pointer)}\` ${message}`));
  return canBeRead(request, DEPTH_MAX)
    ? { ...parsed, request }
    : faulty(['the request is nested too deeply, or holds an integer beyond 2^53 - 1']);
}

/**
 * The item's own entity, or the default. An own one takes what identifies it from the default, never properties.
 */
function readEntity(
  item: Members,
  defaults: Members,
  name: string,
  identity: readonly string[],
  faults: string[],
): Members {
  const pointer = `/${name}`;
  const own = item[name] === undefined ? defaults[name] : item[name];
  if (own === undefined) {
    faults.push(`\`${pointer}\` is required`);
    return NOTHING;
  }
  if (!isObject(own)) return readObject(own, pointer, faults);
  let entity = own;
  for (const member of identity) {
    let sent = own[member];
    if (sent === undefined && isObject(defaults[name])) {
      sent = defaults[name][member];
      entity = { ...entity, [member]: sent };
    }
    if (typeof sent === 'string') continue;
    const place = `\`${pointer}/${member}\``;
    faults.push(
      sent === undefined ? `${place} is required` : `${place} must be a string, not ${kindOf(sent)}`,
    );
  }
  readObject(entity.properties ?? NOTHING, `${pointer}/properties`, faults);
  return entity;
}

function readPart(context: Members, name: string, members: readonly string[], faults: string[]): Members {
  const pointer = `/context/${name}`;
  const part = readObject(context[name] ?? NOTHING, pointer, faults);
  refuseNull(part, pointer, members, faults);
  for (const member of Object.keys(part)) {
    if (!members.includes(member))
      faults.push(`unknown member \`${shortened(member)}\` of \`${pointer}\`; it has ${members.join(', ')}`);
  }
  return part;
}

function readObject(value: unknown, pointer: string, faults: string[]): Members {
  if (isObject(value)) return value;
  faults.push(`\`${pointer}\` must be an object, not ${kindOf(value)}`);
  return NOTHING;
}

function refuseNull(object: Members, pointer: string, members: readonly string[], faults: string[]): void {
  for (const member of members)
    if (object[member] === null) faults.push(`\`${pointer}/${member}\` must not be null; leave it out`);
}

/** Who acts: the agent that a token was delegated to (RFC 8693), or the subject itself. */
function actorOf({ id, properties }: Members): unknown {
  const act = isObject(properties) ? properties.act : undefined;
  return isObject(act) && typeof act.sub === 'string' ? act.sub : id;
}

function propertiesOf({ properties }: Members): Members {
  return isObject(properties) && hasMembers(properties) ? { properties } : NOTHING;
}

function listedMembers(context: Members, listed: readonly string[]): Members {
  if (listed.length === 0) return NOTHING;
  const names = listed.filter((name) => !MAPPED.has(name) && Object.hasOwn(context, name));
  return Object.fromEntries(names.map((name) => [name, context[name]]));
}

function ifAny(name: string, members: Members): Members {
  return hasMembers(members) ? { [name]: members } : NOTHING;
}

function hasMembers(object: Members): boolean {
  for (const _ in object) return true;
  return false;
}

/**
 * INVARIANT: the mapped intent is stored as text, and the strict parser can read that text again. It is nested deeper
 * than the body, and `1e16` is written without an exponent.
 */
function canBeRead(value: unknown, depthLeft: number): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
  if (typeof value !== 'object' || value === null) return true;
  if (depthLeft === 0) return false;
  // `for in` allocates no list, and what strict JSON was parsed to inherits nothing.
  for (const name in value) if (!canBeRead((value as Members)[name], depthLeft - 1)) return false;
  return true;
}

function placeOf(pointer: string): string {
  const [, member = '', ...rest] = pointer.split('/');
  return [PLACES[member] ?? `/${member}`, ...rest].join('/');
}

const FAULTS_SHOWN_MAX = 20;

function faulty(faults: readonly string[]): MappedEvaluation {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).join('; ');
  const more = faults.length - FAULTS_SHOWN_MAX;
  return { kind: 'faulty', message: more > 0 ? `${shown}; and ${more} more` : shown };
}
