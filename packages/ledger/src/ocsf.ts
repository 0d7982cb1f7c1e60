/**
 * Decisions as events of the Open Cybersecurity Schema Framework, for a SIEM: class API Activity with the
 * profile Security Control. INVARIANT: ids, codes and the target, never values or evidence.
 */
import type { Decision } from '@writecheck/contract';

const OCSF_VERSION = '1.6.0';
const API_ACTIVITY = 6003;

/** What an event says about a write, whichever source it is made from. */
export interface OcsfDecision {
  readonly decisionId: string;
  readonly auditId: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: string;
  readonly atMs: number;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reasonCode: string;
  readonly policyRef?: string | null;
  readonly intentDigest?: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly agent?: string | null;
  readonly runId?: string | null;
  /** Null if the record was pruned. */
  readonly target: OcsfTarget | null;
}

export interface OcsfTarget {
  readonly system: string;
  readonly objectType?: string | null;
  readonly objectRef?: string | null;
  readonly field?: string | null;
  readonly operation?: string | null;
}

const ACTIVITIES = ['Unknown', 'Create', 'Read', 'Update', 'Delete'] as const;
const OTHER = 99;
/** OCSF activities by the last word of an operation such as `vendor.update`. */
const VERBS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    create: 1,
    add: 1,
    insert: 1,
    post: 1,
    read: 2,
    get: 2,
    list: 2,
    update: 3,
    change: 3,
    set: 3,
    put: 3,
    patch: 3,
    write: 3,
    delete: 4,
    remove: 4,
  }),
);

const OUTCOMES = {
  allow: {
    action: [1, 'Allowed'],
    disposition: [1, 'Allowed'],
    severity: [1, 'Informational'],
    status: [1, 'Success'],
  },
  pause: {
    action: [2, 'Denied'],
    disposition: [OTHER, 'Paused'],
    severity: [2, 'Low'],
    status: [2, 'Failure'],
  },
  block: {
    action: [2, 'Denied'],
    disposition: [2, 'Blocked'],
    severity: [3, 'Medium'],
    status: [2, 'Failure'],
  },
} as const satisfies { readonly [decision in Decision]: object };

export function ocsfDecision(one: OcsfDecision): object {
  const { decision, target, decisionId, keyId, policyRef } = one;
  const { action, disposition, severity, status } = OUTCOMES[decision];
  // An allow that enforcing everything would have stopped went through, and was only logged.
  const [dispositionId, dispositionName] =
    decision === 'allow' && one.evaluatedDecision !== 'allow' ? [17, 'Logged'] : disposition;
  const policy = given({ uid: policyRef });
  const operation = target?.operation ?? null;
  return {
    ...activityOf(operation === null ? 3 : (VERBS.get(lastWord(operation)) ?? OTHER), operation ?? 'Update'),
    time: one.atMs,
    severity_id: severity[0],
    severity: severity[1],
    status_id: status[0],
    status: status[1],
    status_code: one.reasonCode,
    message: `${decision}: ${one.reasonCode}`,
    action_id: action[0],
    action: action[1],
    disposition_id: dispositionId,
    disposition: dispositionName,
    is_alert: decision === 'block',
    ...given({ policy, authorizations: policy && [{ decision, policy }] }),
    actor: given({ app_name: one.agent, user: { uid: keyId, type_id: 3, type: 'System' } }),
    src_endpoint: given({ uid: keyId, name: one.agent }),
    api: given({
      operation: operation ?? 'write',
      service: target && { name: target.system },
      request: one.requestId === undefined ? undefined : { uid: one.requestId },
    }),
    ...given({ resources: listed(target && resourceOf(target)) }),
    metadata: {
      ...metadataOf(['security_control'], one.workspace),
      uid: decisionId,
      event_code: one.reasonCode,
      ...given({ correlation_uid: one.runId }),
    },
    unmapped: given({
      decision,
      evaluated_decision: one.evaluatedDecision,
      audit_id: one.auditId,
      key_kind: one.keyKind,
      intent_digest: one.intentDigest,
      trace_id: one.traceId,
    }),
  };
}

/** Anything else that happens in a workspace, such as a review or a change of policy: its type and its data. */
export function ocsfEvent(type: string, atMs: number, data: { readonly [member: string]: unknown }): object {
  return {
    ...activityOf(OTHER, type),
    time: atMs,
    severity_id: 1,
    severity: 'Informational',
    status_id: 1,
    status: 'Success',
    actor: { app_name: 'Writecheck' },
    src_endpoint: { name: 'Writecheck' },
    api: { operation: type },
    metadata: {
      ...metadataOf([], typeof data.workspace === 'string' ? data.workspace : null),
      event_code: type,
    },
    unmapped: data,
  };
}

function activityOf(id: number, name: string): object {
  return {
    category_uid: 6,
    category_name: 'Application Activity',
    class_uid: API_ACTIVITY,
    class_name: 'API Activity',
    activity_id: id,
    activity_name: ACTIVITIES[id] ?? name,
    type_uid: API_ACTIVITY * 100 + id,
  };
}

function metadataOf(profiles: readonly string[], workspace: string | null): object {
  return {
    version: OCSF_VERSION,
    product: { name: 'Writecheck', vendor_name: 'Writecheck' },
    ...(profiles.length === 0 ? {} : { profiles }),
    ...given({ tenant_uid: workspace }),
  };
}

/** Undefined if the target names nothing but its system. The schema requires a name or an id. */
function resourceOf({ objectType, objectRef, field }: OcsfTarget): object | undefined {
  const name = objectRef ? undefined : (objectType ?? field);
  return given({ type: objectType, name, uid: objectRef, data: field ? { field } : undefined });
}

function listed(one: object | null | undefined): readonly object[] | undefined {
  return one ? [one] : undefined;
}

function lastWord(operation: string): string {
  return operation.slice(operation.lastIndexOf('.') + 1).toLowerCase();
}

/** Omits empty members; undefined if none is left. */
function given(members: { readonly [name: string]: unknown }): object | undefined {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
