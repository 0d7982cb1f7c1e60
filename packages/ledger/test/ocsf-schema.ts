/**
 * The part of the OCSF schema 1.6.0 that our events use, transcribed: class API Activity (6003), profile
 * Security Control and the objects in them. Attributes that we do not send are omitted, so an event with one of
 * them is reported here.
 */

type Kind = 'text' | 'integer' | 'flag' | 'json' | `${string}[]` | (string & {});

interface ObjectShape {
  /** An attribute with `!` is required. */
  readonly attributes: { readonly [name: string]: Kind };
  readonly atLeastOne?: readonly string[];
}

/** An identifier beside the attribute that holds its caption; 99 leaves the caption to the source. */
interface Enumeration {
  readonly caption: string;
  readonly values: { readonly [id: number]: string };
}

export const VERSION = '1.6.0';

const SHAPES: { readonly [name: string]: ObjectShape } = {
  api_activity: {
    attributes: {
      'activity_id!': 'integer',
      activity_name: 'text',
      'category_uid!': 'integer',
      category_name: 'text',
      'class_uid!': 'integer',
      class_name: 'text',
      'type_uid!': 'integer',
      'time!': 'integer',
      'severity_id!': 'integer',
      severity: 'text',
      status_id: 'integer',
      status: 'text',
      status_code: 'text',
      message: 'text',
      'metadata!': 'metadata',
      unmapped: 'json',
      'actor!': 'actor',
      'api!': 'api',
      'src_endpoint!': 'network_endpoint',
      resources: 'resource_details[]',
    },
  },
  security_control: {
    attributes: {
      action_id: 'integer',
      action: 'text',
      disposition_id: 'integer',
      disposition: 'text',
      is_alert: 'flag',
      policy: 'policy',
      authorizations: 'authorization[]',
    },
  },
  metadata: {
    attributes: {
      'version!': 'text',
      'product!': 'product',
      profiles: 'text[]',
      uid: 'text',
      tenant_uid: 'text',
      event_code: 'text',
      correlation_uid: 'text',
    },
  },
  product: { attributes: { name: 'text', vendor_name: 'text' }, atLeastOne: ['name', 'uid'] },
  actor: { attributes: { app_name: 'text', user: 'user' }, atLeastOne: ['user', 'app_name'] },
  user: { attributes: { uid: 'text', type_id: 'integer', type: 'text' }, atLeastOne: ['name', 'uid'] },
  api: { attributes: { 'operation!': 'text', service: 'service', request: 'request' } },
  service: { attributes: { name: 'text' }, atLeastOne: ['name', 'uid'] },
  request: { attributes: { 'uid!': 'text' } },
  network_endpoint: { attributes: { uid: 'text', name: 'text' }, atLeastOne: ['uid', 'name'] },
  resource_details: {
    attributes: { name: 'text', uid: 'text', type: 'text', data: 'json' },
    atLeastOne: ['name', 'uid'],
  },
  policy: { attributes: { uid: 'text' }, atLeastOne: ['name', 'uid'] },
  authorization: { attributes: { decision: 'text', policy: 'policy' } },
};

const ENUMERATIONS: { readonly [attribute: string]: Enumeration } = {
  'api_activity/activity_id': {
    caption: 'activity_name',
    values: { 0: 'Unknown', 1: 'Create', 2: 'Read', 3: 'Update', 4: 'Delete', 99: '' },
  },
  'api_activity/severity_id': {
    caption: 'severity',
    values: {
      0: 'Unknown',
      1: 'Informational',
      2: 'Low',
      3: 'Medium',
      4: 'High',
      5: 'Critical',
      6: 'Fatal',
      99: '',
    },
  },
  'api_activity/status_id': {
    caption: 'status',
    values: { 0: 'Unknown', 1: 'Success', 2: 'Failure', 99: '' },
  },
  'api_activity/action_id': { caption: 'action', values: { 0: 'Unknown', 1: 'Allowed', 2: 'Denied' } },
  'api_activity/disposition_id': {
    caption: 'disposition',
    values: { 0: 'Unknown', 1: 'Allowed', 2: 'Blocked', 8: 'Approved', 14: 'Delayed', 17: 'Logged', 99: '' },
  },
  'user/type_id': {
    caption: 'type',
    values: { 0: 'Unknown', 1: 'User', 2: 'Admin', 3: 'System', 99: '' },
  },
};

type Members = { readonly [name: string]: unknown };

/** The errors of an event by the schema; empty if none. */
export function ocsfFaults(event: object): readonly string[] {
  const { metadata, class_uid, category_uid, activity_id, type_uid } = event as { [name: string]: unknown };
  const { profiles = [], version } = metadata as { profiles?: readonly string[]; version?: string };
  const faults = faultsOf(event as Members, 'api_activity', profiles, '');
  if (version !== VERSION) faults.push(`it says that it is of ${version}`);
  if (class_uid !== 6003 || category_uid !== 6) faults.push('it is of another class');
  if (type_uid !== 600_300 + Number(activity_id)) faults.push('its type does not fit its activity');
  return faults;
}

function faultsOf(members: Members, name: string, profiles: readonly string[], at: string): string[] {
  const { attributes, atLeastOne } = SHAPES[name]!;
  const all: ObjectShape['attributes'] = Object.assign(
    {},
    attributes,
    ...profiles.map((profile) => SHAPES[profile]?.attributes),
  );
  const kinds = new Map(Object.entries(all).map(([key, kind]) => [key.replace('!', ''), kind]));
  const faults: string[] = [];
  for (const key of Object.keys(all))
    if (key.endsWith('!') && !(key.slice(0, -1) in members)) faults.push(`${at}/${key} is missing`);
  if (atLeastOne !== undefined && !atLeastOne.some((key) => key in members))
    faults.push(`${at} has none of ${atLeastOne.join(', ')}`);
  for (const [key, value] of Object.entries(members)) {
    const kind = kinds.get(key);
    if (kind === undefined) faults.push(`${at}/${key} is unknown`);
    else faults.push(...faultsOfValue(value, kind, `${at}/${key}`));
    const enumeration = ENUMERATIONS[`${name}/${key}`];
    if (enumeration === undefined) continue;
    const caption = enumeration.values[Number(value)];
    if (caption === undefined) faults.push(`${at}/${key} cannot be ${String(value)}`);
    else if (caption !== '' && members[enumeration.caption] !== caption)
      faults.push(`${at}/${enumeration.caption} must be ${caption}`);
  }
  return faults;
}

function faultsOfValue(value: unknown, kind: Kind, at: string): readonly string[] {
  if (kind.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${at} must be a list`];
    return value.flatMap((one, i) => faultsOfValue(one, kind.slice(0, -2), `${at}/${i}`));
  }
  if (kind in SHAPES)
    return typeof value === 'object' && value !== null
      ? faultsOf(value as Members, kind, [], at)
      : [`${at} must be an object`];
  const isRight =
    kind === 'json' ||
    (kind === 'text' && typeof value === 'string') ||
    (kind === 'flag' && typeof value === 'boolean') ||
    (kind === 'integer' && Number.isSafeInteger(value));
  return isRight ? [] : [`${at} must be ${kind}`];
}
