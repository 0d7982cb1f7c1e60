/** Applying, reading and rolling back the bundle of a workspace. */
import { hash } from 'node:crypto';
import { BUNDLE_BYTES_MAX, DOCUMENTS_MAX } from '@writecheck/engine';
import { problemAnswer } from '../../check-write/answer.ts';
import { bodyOf, type Field, flag, optional, wholeNumber } from '../../fields/body-fields.ts';
import {
  type Application,
  type Applied,
  applyPolicy,
  invalidPolicy,
  rollBackPolicy,
  tooManyAtOnce,
} from '../../policies/apply-policy.ts';
import type { BundleSource } from '../../policies/bundle-source.ts';
import type { PolicyDesk } from '../../policies/policy-desk.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { type StoredPolicy, StoreUnavailable } from '../../store/port.ts';
import { type Answer, json, jsonText } from '../answer.ts';
import { readJson, readValue } from '../read-json.ts';
import type { RequestContext } from '../request-context.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { BODY_ERRORS, momentSchema, SMALL_JSON, textSchema } from './shared-schemas.ts';

/** Room for the JSON around a bundle of the largest size. */
const BODY_BYTES_MAX = BUNDLE_BYTES_MAX + 64 * 1024;
const YAML = 'application/yaml';

const anything: Field<unknown> = { schema: {}, isRequired: true, read: (value) => ({ value }) };
const documentList: Field<readonly unknown[]> = {
  schema: { type: 'array', items: { type: 'object' }, maxItems: DOCUMENTS_MAX },
  isRequired: true,
  read: (value) => (Array.isArray(value) ? { value } : { fault: 'must be a list of documents' }),
};
const APPLY = bodyOf({ documents: documentList, confirmLoosening: optional(flag) });
const ROLL_BACK = bodyOf({
  revision: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  confirmLoosening: optional(flag),
});

const REVISION = { type: 'integer', minimum: 0 };
const APPLIED = {
  type: 'object',
  properties: { revision: REVISION, digest: textSchema },
  required: ['revision', 'digest'],
};
const CONFIRM = {
  confirmLoosening: {
    description: '`true` confirms a bundle that may loosen',
    schema: { enum: ['true', 'false'] },
  },
};

const REFUSALS = [
  'invalid_policy',
  'loosening_unconfirmed',
  'revision_conflict',
  'managed_by_folder',
] as const;

export function policyRoutes({ store, policies, check }: ServiceParts): readonly Route[] {
  const clock: Steady = (nowMs) => check.clock.notBefore(nowMs);
  return [
    {
      method: 'PUT',
      path: '/v1/policies',
      access: 'owner',
      body: { mediaTypes: ['application/json', YAML], limitBytes: BODY_BYTES_MAX, schema: APPLY.schema },
      described: {
        operationId: 'applyPolicies',
        summary: 'apply a bundle, as JSON or as YAML documents; `If-Match` names the digest it replaces',
        query: CONFIRM,
        success: { 200: { description: 'the revision that runs now', schema: APPLIED } },
        errors: [...BODY_ERRORS, ...REFUSALS],
      },
      handle: async (call) => {
        const bundle = await readBundle(policies.desk, call);
        if (bundle.kind === 'refused') return problemAnswer(call.context, bundle);
        const application = applicationOf(call, bundle.isConfirmed, clock);
        if (application.kind === 'refused') return problemAnswer(call.context, application);
        return applied(call.context, await applyPolicy(policies, bundle.source, application.value));
      },
    },
    {
      method: 'GET',
      path: '/v1/policies',
      access: 'owner',
      described: {
        operationId: 'readPolicies',
        summary: 'the running bundle',
        success: {
          200: {
            description: 'revision 0 and no documents before the first',
            schema: {
              type: 'object',
              properties: {
                revision: REVISION,
                digest: { type: ['string', 'null'] },
                documents: { type: 'array', items: { type: 'object' } },
              },
              required: ['revision', 'digest', 'documents'],
            },
          },
        },
        errors: [],
      },
      handle: async ({ key }) => {
        const running = await store.currentPolicy(key.workspace);
        if (running === null) return json(200, { revision: 0, digest: null, documents: [] });
        return jsonText(200, bundleText(running), { etag: `"${running.digest}"` });
      },
    },
    {
      method: 'GET',
      path: '/v1/policies/revisions/{revision}',
      access: 'owner',
      described: {
        operationId: 'readRevision',
        summary: 'a bundle that was applied, running or not',
        success: {
          200: {
            description: 'the bundle',
            schema: {
              type: 'object',
              properties: {
                revision: REVISION,
                digest: textSchema,
                documents: { type: 'array', items: { type: 'object' } },
              },
              required: ['revision', 'digest', 'documents'],
            },
          },
        },
        errors: ['not_found'],
      },
      handle: async ({ context, key, params }) => {
        const revision = /^[1-9]\d{0,14}$/.test(params.revision!) ? Number(params.revision) : null;
        const found = revision === null ? null : await store.findPolicy(key.workspace, revision);
        return found === null
          ? problemAnswer(context, refuse('not_found', 'there is no such revision in this workspace'))
          : jsonText(200, bundleText(found));
      },
    },
    {
      method: 'GET',
      path: '/v1/policies/revisions',
      access: 'owner',
      described: {
        operationId: 'listRevisions',
        summary: 'every bundle that was applied, newest first',
        success: {
          200: {
            description: 'the revisions, without their documents',
            schema: {
              type: 'object',
              properties: {
                revisions: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      revision: REVISION,
                      digest: textSchema,
                      authorKeyId: { type: ['string', 'null'] },
                      createdAt: momentSchema,
                      rollbackOf: { type: ['integer', 'null'] },
                    },
                    required: ['revision', 'digest', 'authorKeyId', 'createdAt', 'rollbackOf'],
                  },
                },
              },
              required: ['revisions'],
            },
          },
        },
        errors: [],
      },
      handle: async ({ key }) => {
        const revisions = await store.listPolicies(key.workspace);
        return json(200, {
          revisions: revisions.map(({ revision, digest, authorKeyId, createdAtMs, rollbackOf }) => ({
            revision,
            digest,
            authorKeyId,
            createdAt: new Date(createdAtMs).toISOString(),
            rollbackOf,
          })),
        });
      },
    },
    {
      method: 'POST',
      path: '/v1/policies/rollback',
      access: 'owner',
      body: { ...SMALL_JSON, schema: ROLL_BACK.schema },
      described: {
        operationId: 'rollBackPolicies',
        summary: 'apply an earlier revision again, as a new one',
        query: CONFIRM,
        success: { 200: { description: 'the revision that runs now', schema: APPLIED } },
        errors: [...BODY_ERRORS, 'not_found', ...REFUSALS],
      },
      handle: async (call) => {
        const read = readJson(ROLL_BACK, call.body);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const application = applicationOf(call, read.value.confirmLoosening, clock);
        if (application.kind === 'refused') return problemAnswer(call.context, application);
        return applied(call.context, await rollBackPolicy(policies, read.value.revision, application.value));
      },
    },
  ];
}

/** As stored, since reading a large bundle here would hold up others; the digest says that it is whole. */
function bundleText({ workspace, revision, digest, documents }: StoredPolicy): string {
  if (`sha256:${hash('sha256', documents)}` !== digest) {
    const what = `policy revision ${revision} of ${workspace}`;
    throw new StoreUnavailable('corrupt', `${what} is not the one that was applied`);
  }
  return `{"revision":${revision},"digest":"${digest}","documents":${documents}}`;
}

type Bundle = {
  readonly kind: 'bundle';
  readonly source: BundleSource;
  /** Undefined where the body does not say. */
  readonly isConfirmed: boolean | undefined;
};

/** A large body is read on another thread; here only that it has documents, and what is said beside them. */
async function readBundle(desk: PolicyDesk, { headers, body, key }: KeyedCall): Promise<Bundle | Refusal> {
  if (headers['content-type']!.toLowerCase().startsWith(YAML)) {
    const source = { kind: 'yaml', files: [{ file: null, bytes: body }] } as const;
    return { kind: 'bundle', source, isConfirmed: undefined };
  }
  const outlined = await desk.outline(body, key.workspace);
  switch (outlined.kind) {
    case 'busy':
      return tooManyAtOnce();
    case 'invalid':
      return invalidPolicy(outlined.details);
    case 'malformed': {
      const { pointer, message } = outlined;
      return refuse('malformed_json', message, [{ pointer, message }]);
    }
    case 'outline': {
      const read = readValue(APPLY, outlined.value);
      if (read.kind === 'refused') return read;
      const source = { kind: 'body', bytes: body } as const;
      return { kind: 'bundle', source, isConfirmed: read.value.confirmLoosening };
    }
  }
}

/** A revision is never dated before a decision that was made under an earlier one. */
type Steady = (clockMs: number) => number;

const QUERY = bodyOf({ confirmLoosening: optional(anything) });

function applicationOf(
  { context, headers, query, key }: KeyedCall,
  inBody: boolean | undefined,
  clock: Steady,
): { readonly kind: 'read'; readonly value: Application } | Refusal {
  const known = readValue(QUERY, Object.fromEntries(query));
  if (known.kind === 'refused') return known;
  const asked = query.get('confirmLoosening');
  if (asked !== null && asked !== 'true' && asked !== 'false') {
    const message = '`confirmLoosening` must be `true` or `false`';
    return refuse('invalid_request', message, [{ pointer: '/confirmLoosening', message }]);
  }
  if (asked !== null && inBody !== undefined && String(inBody) !== asked) {
    const message = `\`confirmLoosening\` is \`${asked}\` in the query and \`${inBody}\` in the body; say it once`;
    return refuse('invalid_request', message, [{ pointer: '/confirmLoosening', message }]);
  }
  const sent = headers['if-match'];
  const digest = sent === undefined ? null : /^"([^"]+)"$/.exec(sent.trim())?.[1];
  if (digest === undefined) {
    return refuse(
      'invalid_request',
      '`If-Match` must be one digest in double quotes, such as `"sha256:..."`',
    );
  }
  return {
    kind: 'read',
    value: {
      workspace: key.workspace,
      authorKeyId: key.id,
      ifMatch: digest,
      isLooseningConfirmed: inBody === true || asked === 'true',
      nowMs: clock(context.nowMs),
    },
  };
}

function applied(context: RequestContext, outcome: Applied | Refusal): Answer {
  if (outcome.kind === 'refused') return problemAnswer(context, outcome);
  const { revision, digest } = outcome;
  return json(200, { revision, digest }, { etag: `"${digest}"` });
}
