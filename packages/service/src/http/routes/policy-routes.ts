/** Applies and rolls back the bundle of a workspace. */
import { BODY_ERRORS, bodyOf, type Field, flag, name, optional, wholeNumber } from '@writecheck/api';
import { BUNDLE_BYTES_MAX, DOCUMENTS_MAX } from '@writecheck/engine';
import { type Answer, json } from '../../answer.ts';
import type { SteadyClock } from '../../clocks/steady-clock.ts';
import { personIdOf } from '../../people/actor.ts';
import { isOwner } from '../../people/refuse-actor.ts';
import {
  type Application,
  type Applied,
  applyPolicy,
  invalidPolicy,
  rollBackPolicy,
  tooManyAtOnce,
} from '../../policies/apply-policy.ts';
import type { BodyOutline } from '../../policies/body-outline.ts';
import type { BundleSource } from '../../policies/bundle-source.ts';
import type { PolicyDesk } from '../../policies/policy-desk.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { RequestContext } from '../../request-context.ts';
import { readJson, readValue } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { REVISION, SMALL_JSON, textSchema } from './shared-schemas.ts';

/** Room for the JSON around a bundle of the largest size. */
export const BUNDLE_BODY_BYTES_MAX = BUNDLE_BYTES_MAX + 64 * 1024;
const YAML = 'application/yaml';

const anything: Field<unknown> = { schema: {}, isRequired: true, read: (value) => ({ value }) };
export const documentList: Field<readonly unknown[]> = {
  schema: { type: 'array', items: { type: 'object' }, maxItems: DOCUMENTS_MAX },
  isRequired: true,
  read: (value) => (Array.isArray(value) ? { value } : { fault: 'must be a list of documents' }),
};
const APPLY = bodyOf({ documents: documentList, confirmLoosening: optional(flag) });
const ROLL_BACK = bodyOf({
  revision: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  confirmLoosening: optional(flag),
});

const APPLIED = {
  type: 'object',
  properties: { revision: REVISION, digest: textSchema },
  required: ['revision', 'digest'],
};
const ASIDE = {
  confirmLoosening: {
    description: '`true` confirms a bundle that may loosen',
    schema: { enum: ['true', 'false'] },
  },
  message: { description: 'what changes and why, kept with the revision', schema: name.schema },
};

const REFUSALS = [
  'invalid_policy',
  'loosening_unconfirmed',
  'revision_conflict',
  'managed_by_folder',
] as const;

export function policyRoutes(parts: ServiceParts): readonly Route[] {
  return [applyRoute(parts), rollBackRoute(parts)];
}

function applyRoute({ policies, check }: ServiceParts): Route {
  return {
    method: 'PUT',
    path: '/v1/policies',
    access: 'managing',
    body: { mediaTypes: ['application/json', YAML], limitBytes: BUNDLE_BODY_BYTES_MAX, schema: APPLY.schema },
    described: {
      operationId: 'applyPolicies',
      summary: 'apply a bundle, as JSON or as YAML documents; `If-Match` names the digest it replaces',
      query: ASIDE,
      success: { 200: { description: 'the revision that is now active', schema: APPLIED } },
      errors: [...BODY_ERRORS, ...REFUSALS],
    },
    handle: async (call) => {
      const bundle = await readBundle(policies.desk, call);
      if (bundle.kind === 'refused') return problemAnswer(call.context, bundle);
      const application = applicationOf(call, bundle.isConfirmed, check.clock);
      if (application.kind === 'refused') return problemAnswer(call.context, application);
      return applied(call.context, await applyPolicy(policies, bundle.source, application.value));
    },
  };
}

function rollBackRoute({ policies, check }: ServiceParts): Route {
  return {
    method: 'POST',
    path: '/v1/policies/rollback',
    access: 'managing',
    body: { ...SMALL_JSON, schema: ROLL_BACK.schema },
    described: {
      operationId: 'rollBackPolicies',
      summary: 'apply an earlier revision again, as a new one',
      query: ASIDE,
      success: { 200: { description: 'the revision that is now active', schema: APPLIED } },
      errors: [...BODY_ERRORS, 'not_found', ...REFUSALS],
    },
    handle: async (call) => {
      const read = readJson(ROLL_BACK, call.body);
      if (read.kind === 'refused') return problemAnswer(call.context, read);
      const application = applicationOf(call, read.value.confirmLoosening, check.clock);
      if (application.kind === 'refused') return problemAnswer(call.context, application);
      return applied(call.context, await rollBackPolicy(policies, read.value.revision, application.value));
    },
  };
}

type Bundle = {
  readonly kind: 'bundle';
  readonly source: BundleSource;
  /** Undefined if the body does not say. */
  readonly isConfirmed: boolean | undefined;
};

/** Another thread reads a large body; this checks only that it has documents, and reads the members beside them. */
async function readBundle(desk: PolicyDesk, { request, body, actor }: KeyedCall): Promise<Bundle | Refusal> {
  if (request.header('content-type')!.toLowerCase().startsWith(YAML)) {
    const source = { kind: 'yaml', files: [{ file: null, bytes: body }] } as const;
    return { kind: 'bundle', source, isConfirmed: undefined };
  }
  const outlined = await outlineOf(desk, body, actor.workspace);
  if (outlined.kind === 'refused') return outlined;
  const read = readValue(APPLY, outlined.value);
  if (read.kind === 'refused') return read;
  const source = { kind: 'body', bytes: body } as const;
  return { kind: 'bundle', source, isConfirmed: read.value.confirmLoosening };
}

/** The members of a body that holds documents, with its lists and objects emptied. */
export async function outlineOf(
  desk: PolicyDesk,
  body: Uint8Array,
  workspace: string,
): Promise<Extract<BodyOutline, { kind: 'outline' }> | Refusal> {
  const outlined = await desk.outline(body, workspace);
  switch (outlined.kind) {
    case 'busy':
      return tooManyAtOnce();
    case 'invalid':
      return invalidPolicy(outlined.details);
    case 'malformed': {
      const { pointer, message } = outlined;
      return refuse('malformed_json', message, [{ pointer, message }]);
    }
    case 'outline':
      return outlined;
  }
}

/** The digest that the caller believes to be running; null if none was sent. */
export function readIfMatch(request: KeyedCall['request']): string | null | Refusal {
  const sent = request.header('if-match');
  if (sent === undefined) return null;
  return (
    /^"([^"]+)"$/.exec(sent.trim())?.[1] ??
    refuse('invalid_request', '`If-Match` must be one digest in double quotes, such as `"sha256:..."`')
  );
}

const QUERY = bodyOf({ confirmLoosening: optional(anything), message: optional(name) });

function applicationOf(
  { context, request, query, actor }: KeyedCall,
  inBody: boolean | undefined,
  clock: SteadyClock,
): { readonly kind: 'read'; readonly value: Application } | Refusal {
  const known = readValue(QUERY, Object.fromEntries(query));
  if (known.kind === 'refused') return known;
  const asked = query.get('confirmLoosening');
  if (asked !== null && asked !== 'true' && asked !== 'false') {
    const message = '`confirmLoosening` must be `true` or `false`';
    return refuse('invalid_request', message, [{ pointer: '/confirmLoosening', message }]);
  }
  if (asked !== null && inBody !== undefined && String(inBody) !== asked) {
    const message = `\`confirmLoosening\` is \`${asked}\` in the query and \`${inBody}\` in the body; send it once`;
    return refuse('invalid_request', message, [{ pointer: '/confirmLoosening', message }]);
  }
  const digest = readIfMatch(request);
  if (typeof digest === 'object' && digest !== null) return digest;
  return {
    kind: 'read',
    value: {
      workspace: actor.workspace,
      authorKeyId: actor.kind === 'person' ? null : actor.id,
      authorPersonId: personIdOf(actor),
      ifMatch: digest,
      isLooseningConfirmed: inBody === true || asked === 'true',
      mayLoosen: isOwner(actor),
      message: known.value.message ?? null,
      // A revision is never dated before a decision made under an earlier one.
      nowMs: clock.notBefore(context.nowMs),
    },
  };
}

function applied(context: RequestContext, outcome: Applied | Refusal): Answer {
  if (outcome.kind === 'refused') return problemAnswer(context, outcome);
  const { revision, digest } = outcome;
  return json(200, { revision, digest }, { etag: `"${digest}"` });
}
