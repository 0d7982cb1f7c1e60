/** Reads the bundles of a workspace: the running one and earlier ones. */
import { hash } from 'node:crypto';
import { json, jsonText } from '../../answer.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { refuse } from '../../refusal.ts';
import { type StoredPolicy, StoreUnavailable } from '../../store/port.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema, REVISION, textSchema } from './shared-schemas.ts';

export function revisionRoutes(parts: ServiceParts): readonly Route[] {
  return [readRoute(parts), readRevisionRoute(parts), listRevisionsRoute(parts)];
}

const RUNNING = {
  type: 'object',
  properties: {
    revision: REVISION,
    digest: { type: ['string', 'null'] },
    documents: { type: 'array', items: { type: 'object' } },
  },
  required: ['revision', 'digest', 'documents'],
};

function readRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies',
    access: 'managing',
    described: {
      operationId: 'readPolicies',
      summary: 'the running bundle',
      success: {
        200: {
          description: 'revision 0 and no documents before the first one',
          schema: RUNNING,
        },
      },
      errors: [],
    },
    handle: async ({ actor }) => {
      const running = await store.currentPolicy(actor.workspace);
      if (running === null) return json(200, { revision: 0, digest: null, documents: [] });
      return jsonText(200, bundleText(running), { etag: `"${running.digest}"` });
    },
  };
}

const BUNDLE = {
  type: 'object',
  properties: {
    revision: REVISION,
    digest: textSchema,
    documents: { type: 'array', items: { type: 'object' } },
  },
  required: ['revision', 'digest', 'documents'],
};

function readRevisionRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies/revisions/{revision}',
    access: 'managing',
    described: {
      operationId: 'readRevision',
      summary: 'a bundle that was applied, running or not',
      success: {
        200: {
          description: 'the bundle',
          schema: BUNDLE,
        },
      },
      errors: ['not_found'],
    },
    handle: async ({ context, actor, params }) => {
      const revision = /^[1-9]\d{0,14}$/.test(params.revision!) ? Number(params.revision) : null;
      const found = revision === null ? null : await store.findPolicy(actor.workspace, revision);
      return found === null
        ? problemAnswer(context, refuse('not_found', 'there is no such revision in this workspace'))
        : jsonText(200, bundleText(found));
    },
  };
}

const REVISIONS = {
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
          authorPersonId: { type: ['string', 'null'] },
          createdAt: momentSchema,
          rollbackOf: { type: ['integer', 'null'] },
          message: { type: ['string', 'null'] },
        },
        required: [
          'revision',
          'digest',
          'authorKeyId',
          'authorPersonId',
          'createdAt',
          'rollbackOf',
          'message',
        ],
      },
    },
  },
  required: ['revisions'],
};

function listRevisionsRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies/revisions',
    access: 'managing',
    described: {
      operationId: 'listRevisions',
      summary: 'every bundle that was applied, newest first',
      success: {
        200: {
          description: 'the revisions, without their documents',
          schema: REVISIONS,
        },
      },
      errors: [],
    },
    handle: async ({ actor }) => {
      const revisions = await store.listPolicies(actor.workspace);
      return json(200, {
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
    },
  };
}

/** As stored, since parsing a large bundle here would delay other requests; the digest proves that it is whole. */
function bundleText({ workspace, revision, digest, documents }: StoredPolicy): string {
  if (`sha256:${hash('sha256', documents)}` !== digest) {
    const what = `policy revision ${revision} of ${workspace}`;
    throw new StoreUnavailable('corrupt', `${what} is not the one that was applied`);
  }
  return `{"revision":${revision},"digest":"${digest}","documents":${documents}}`;
}
