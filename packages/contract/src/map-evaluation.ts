/** Maps an AuthZEN evaluation to the action request that is decided and recorded. */
import { DEPTH_MAX, METADATA_BYTES_MAX } from './limits.ts';
import { knownNameMeantBy, knownNames } from './member-spelling.ts';
import { intentFromStrictJson, type ParsedIntent } from './parse-intent.ts';
import { byteLengthExceeds, isObject, kindOf } from './read-member.ts';
import { shortened } from './shown-input.ts';

type Members = { readonly [member: string]: unknown };
export type MappedEvaluation =
  /** `text` is the action request as recorded: including the members that are ignored with a warning. */
  | (Extract<ParsedIntent, { kind: 'intent' }> & { readonly text: string })
  | { readonly kind: 'faulty'; readonly message: string };

/** The system of an evaluation that names none. */
export const UNNAMED_SYSTEM = 'authzen';

const CONTEXT_MEMBERS = [
  'write',
  'authority',
  'required_controls',
  'control_evidence',
  'workflow_id',
  'run_id',
] as const;
const MAPPED: ReadonlySet<string> = new Set(CONTEXT_MEMBERS);
/**
 * INVARIANT: a misspelled one is refused; ignoring it would drop a requirement or move the write to another
 * system.
 */
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
const METADATA = 'the metadata made of `subject`, `properties` and the listed members of `context`';

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
    system: write.system ?? UNNAMED_SYSTEM,
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
    return faulty(parsed.details.map(({ pointer, message }) => `${placeOf(pointer)} ${message}`));
  const { isTooDeep, hasLargeIntegers } = look(request, DEPTH_MAX);
  if (isTooDeep) return faulty([`${METADATA} is nested too deeply`]);
  if (!hasLargeIntegers) return { ...parsed, text: JSON.stringify(request) };
  // INVARIANT: the decided intent can be read again from its text, which is slightly longer than the digest's
  // form.
  return byteLengthExceeds(exactText(metadata), METADATA_BYTES_MAX)
    ? faulty([`${METADATA} is longer than ${METADATA_BYTES_MAX} bytes`])
    : { ...parsed, text: exactText(request) };
}

/** Whether a policy may list a member of `context`: not one that is mapped already, or refused as a spelling of one. */
export function canBeListed(name: string): boolean {
  return name !== '__proto__' && !MAPPED.has(name) && knownNameMeantBy(name, GUARDED) === null;
}

/**
 * The item's own entity, or the default. An own entity takes its identity from the default, but never
 * properties.
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
  // A null counts as absent, so the same request has the same digest with and without it.
  const names = listed.filter((name) => Object.hasOwn(context, name) && context[name] !== null);
  return Object.fromEntries(names.map((name) => [name, context[name]]));
}

function ifAny(name: string, members: Members): Members {
  return hasMembers(members) ? { [name]: members } : NOTHING;
}

function hasMembers(object: Members): boolean {
  for (const _ in object) return true;
  return false;
}

interface Looked {
  readonly isTooDeep: boolean;
  readonly hasLargeIntegers: boolean;
}

/** A mapped request is nested deeper than its body. */
function look(value: unknown, depthLeft: number): Looked {
  if (typeof value !== 'object' || value === null) return isLargeInteger(value) ? LARGE : PLAIN;
  if (depthLeft === 0) return TOO_DEEP;
  let looked = PLAIN;
  // `for in` allocates no list, and values of strict JSON inherit nothing.
  for (const name in value) {
    const found = look((value as Members)[name], depthLeft - 1);
    if (found === TOO_DEEP) return TOO_DEEP;
    if (found === LARGE) looked = LARGE;
  }
  return looked;
}

const PLAIN: Looked = { isTooDeep: false, hasLargeIntegers: false };
const LARGE: Looked = { isTooDeep: false, hasLargeIntegers: true };
const TOO_DEEP: Looked = { isTooDeep: true, hasLargeIntegers: false };

function isLargeInteger(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * INVARIANT: the strict parser can read the text of a request again. It takes `1e16`, but refuses the bare integer that
 * `JSON.stringify` would write.
 */
function exactText(value: unknown): string {
  if (isLargeInteger(value)) return `${value}`.includes('e') ? `${value}` : `${value}.0`;
  if (Array.isArray(value)) return `[${value.map(exactText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`).join()}}`;
}

function placeOf(pointer: string): string {
  const [, member = '', ...rest] = pointer.split('/');
  if (member === 'metadata') return METADATA;
  return `\`${[PLACES[member] ?? `/${member}`, ...rest].join('/')}\``;
}

const FAULTS_SHOWN_MAX = 20;

function faulty(faults: readonly string[]): MappedEvaluation {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).join('; ');
  const more = faults.length - FAULTS_SHOWN_MAX;
  return { kind: 'faulty', message: more > 0 ? `${shown}; and ${more} more` : shown };
}
