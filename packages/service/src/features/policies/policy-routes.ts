/** Applies, rolls back and reads the bundles of a workspace. */
import { POLICIES, type ReadQueryOf } from '@writecheck/api';
import { BUNDLE_BYTES_MAX } from '@writecheck/engine';
import { type StoredPolicy, StoreUnavailable } from '@writecheck/store/port';
import { textDigest } from '@writecheck/store/sha256';
import { actingOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, answerText, implement } from '../../exchange/implement.ts';
import { readValue } from '../../exchange/read-json.ts';
import { isRefusal, type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import type { SteadyClock } from '../../support/clocks/steady-clock.ts';
import { isOwner } from '../people/refuse-actor.ts';
import {
  type Application,
  type Applied,
  applyPolicy,
  invalidPolicy,
  rollBackPolicy,
  tooLargeHere,
  tooManyAtOnce,
} from './apply-policy.ts';
import type { BodyOutline } from './body-outline.ts';
import type { BundleSource } from './bundle-source.ts';
import type { PolicyJobs } from './policy-jobs.ts';

/** Room for the JSON around a bundle of the largest size. */
const AROUND_BYTES_MAX = 64 * 1024;
export const BUNDLE_BODY_BYTES_MAX = BUNDLE_BYTES_MAX + AROUND_BYTES_MAX;
const YAML = 'application/yaml';

const { applyPolicies, rollBackPolicies } = POLICIES;

export function policyRoutes({ config, policies, check, store }: ServiceParts): readonly Route[] {
  return [
    implement(
      applyPolicies,
      async (call) => {
        const bytesMax = policyBytesMax(config, call.actor);
        // Before another thread reads it.
        if (bytesMax !== null && call.body.length > bytesMax + AROUND_BYTES_MAX)
          return tooLargeHere(bytesMax);
        const bundle = await readBundle(policies.jobs, call);
        if (bundle.kind === 'refused') return bundle;
        const application = applicationOf(call, bundle.isConfirmed, check.clock);
        if (isRefusal(application)) return application;
        return applied(await applyPolicy(policies, bundle.source, { ...application, bytesMax }));
      },
      {
        mediaTypes: ['application/json', YAML],
        limitBytes: BUNDLE_BODY_BYTES_MAX,
        readsBody: true,
      },
    ),
    implement(rollBackPolicies, async (call, { revision, confirmLoosening }) => {
      const application = applicationOf(call, confirmLoosening, check.clock);
      if (isRefusal(application)) return application;
      return applied(
        await rollBackPolicy(policies, revision, {
          ...application,
          bytesMax: policyBytesMax(config, call.actor),
        }),
      );
    }),
    implement(POLICIES.readPolicies, async ({ actor }) => {
      const running = await store.currentPolicy(actor.workspace);
      if (running === null)
        return answer(POLICIES.readPolicies, 200, { revision: 0, digest: null, documents: [] });
      return answerText(POLICIES.readPolicies, 200, bundleText(running), { etag: `"${running.digest}"` });
    }),
    implement(POLICIES.readRevision, async ({ actor, params }) => {
      const revision = /^[1-9]\d{0,14}$/.test(params.revision) ? Number(params.revision) : null;
      const found = revision === null ? null : await store.findPolicy(actor.workspace, revision);
      return found === null
        ? refuse(
            'not_found',
            'there is no such revision in this workspace; `GET /v1/policies/revisions` lists them',
          )
        : answerText(POLICIES.readRevision, 200, bundleText(found));
    }),
    implement(POLICIES.listRevisions, async ({ actor }) => {
      const revisions = await store.listPolicies(actor.workspace);
      return answer(POLICIES.listRevisions, 200, {
        revisions: revisions.map(({ revision, digest, createdAtMs, rollbackOf, message, ...author }) => ({
          revision,
          digest,
          authorKeyId: author.authorKeyId,
          authorPersonId: author.authorPersonId,
          createdAt: new Date(createdAtMs).toISOString(),
          rollbackOf,
          message,
        })),
      });
    }),
  ];
}

type Bundle = {
  readonly kind: 'bundle';
  readonly source: BundleSource;
  /** Undefined if the body does not contain it. */
  readonly isConfirmed: boolean | undefined;
};

/** Another thread reads a large body; this checks only that it has documents, and reads the members beside them. */
async function readBundle(jobs: PolicyJobs, { request, body, actor }: KeyedCall): Promise<Bundle | Refusal> {
  if (request.header('content-type')!.toLowerCase().startsWith(YAML)) {
    const source = { kind: 'yaml', files: [{ file: null, bytes: body }] } as const;
    return { kind: 'bundle', source, isConfirmed: undefined };
  }
  const outlined = await outlineOf(jobs, body, actor.workspace);
  if (outlined.kind === 'refused') return outlined;
  const read = readValue(applyPolicies.body, outlined.value);
  if (read.kind === 'refused') return read;
  const source = { kind: 'body', bytes: body } as const;
  return { kind: 'bundle', source, isConfirmed: read.value.confirmLoosening };
}

/** The members of a body that holds documents, with its lists and objects emptied. */
export async function outlineOf(
  jobs: PolicyJobs,
  body: Uint8Array,
  workspace: string,
): Promise<Extract<BodyOutline, { kind: 'outline' }> | Refusal> {
  const outlined = await jobs.outline(body, workspace);
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

/** The ceiling of the bundle; null if the workspace has none. */
export function policyBytesMax(
  { plan, selfServePolicyBytes }: ServiceParts['config'],
  { isSelfServe }: KeyedCall['actor'],
): number | null {
  return plan === 'hosted' && isSelfServe ? selfServePolicyBytes : null;
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

function applicationOf(
  { context, request, query, actor }: KeyedCall<ReadQueryOf<typeof applyPolicies>>,
  inBody: boolean | undefined,
  clock: SteadyClock,
): Application | Refusal {
  const { confirmLoosening: asked, message = null } = query;
  if (asked !== undefined && inBody !== undefined && inBody !== asked) {
    const twice = `\`confirmLoosening\` is \`${asked}\` in the query and \`${inBody}\` in the body; send it once`;
    return refuseAt('/confirmLoosening', twice);
  }
  const digest = readIfMatch(request);
  if (typeof digest === 'object' && digest !== null) return digest;
  return {
    workspace: actor.workspace,
    by: actingOf(actor),
    ifMatch: digest,
    isLooseningConfirmed: inBody === true || asked === true,
    mayLoosen: isOwner(actor),
    message,
    // A revision is never dated before a decision made under an earlier one.
    nowMs: clock.notBefore(context.nowMs),
  };
}

function applied(outcome: Applied | Refusal): AnswerTo<typeof applyPolicies> | Refusal {
  if (outcome.kind === 'refused') return outcome;
  const { revision, digest, warnings } = outcome;
  const body = { revision, digest, ...(warnings.length > 0 && { warnings }) };
  return answer(applyPolicies, 200, body, { etag: `"${digest}"` });
}

/**
 * Returns the stored text, because parsing a large bundle here would delay other requests; the digest proves that it
 * is whole.
 */
function bundleText({ workspace, revision, digest, documents }: StoredPolicy): string {
  if (textDigest(documents) !== digest) {
    const what = `policy revision ${revision} of ${workspace}`;
    throw new StoreUnavailable('corrupt', `${what} is not the one that was applied`);
  }
  return `{"revision":${revision},"digest":"${digest}","documents":${documents}}`;
}
