/** Reads the bundles of a workspace: the running one and earlier ones. */
import { hash } from 'node:crypto';
import { POLICIES } from '@writecheck/api';
import { type StoredPolicy, StoreUnavailable } from '@writecheck/store/port';
import { jsonText } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { refuse } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';

export function revisionRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    implement(POLICIES.readPolicies, async ({ actor }) => {
      const running = await store.currentPolicy(actor.workspace);
      if (running === null)
        return answer(POLICIES.readPolicies, { revision: 0, digest: null, documents: [] });
      return jsonText(200, bundleText(running), { etag: `"${running.digest}"` });
    }),
    implement(POLICIES.readRevision, async ({ actor, params }) => {
      const revision = /^[1-9]\d{0,14}$/.test(params.revision) ? Number(params.revision) : null;
      const found = revision === null ? null : await store.findPolicy(actor.workspace, revision);
      return found === null
        ? refuse('not_found', 'there is no such revision in this workspace')
        : jsonText(200, bundleText(found));
    }),
    implement(POLICIES.listRevisions, async ({ actor }) => {
      const revisions = await store.listPolicies(actor.workspace);
      return answer(POLICIES.listRevisions, {
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

/** As stored, since parsing a large bundle here would delay other requests; the digest proves that it is whole. */
function bundleText({ workspace, revision, digest, documents }: StoredPolicy): string {
  if (`sha256:${hash('sha256', documents)}` !== digest) {
    const what = `policy revision ${revision} of ${workspace}`;
    throw new StoreUnavailable('corrupt', `${what} is not the one that was applied`);
  }
  return `{"revision":${revision},"digest":"${digest}","documents":${documents}}`;
}
