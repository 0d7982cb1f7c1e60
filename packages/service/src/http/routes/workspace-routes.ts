/** Self-serve sign-up: creates a workspace and its first keys without an operator. */

import { json } from '../../answer.ts';
import { bodyOf } from '../../fields/body-fields.ts';
import { label } from '../../fields/text-fields.ts';
import { createWorkspace } from '../../keys/create-workspace.ts';
import { shownKey, shownToItself } from '../../keys/shown-key.ts';
import type { Actor } from '../../people/actor.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Admission, WindowLimit } from '../../window-limit.ts';
import { limitSubject } from '../client-address.ts';
import { isKnownHost } from '../known-host.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { keySchema, SMALL_JSON, textSchema } from './shared-schemas.ts';

const SHAPE = bodyOf({ name: label });
const OTHER_PAGE =
  'sign-up is closed to pages under a host name that this service is not configured for; set `WRITECHECK_PUBLIC_URL`';
export const WORKSPACE = {
  type: 'object',
  properties: { id: textSchema, name: textSchema },
  required: ['id', 'name'],
};

/** A checking key does not see whom it belongs to. */
const KEY = {
  ...keySchema,
  required: (keySchema.required as readonly string[]).filter(
    (name) => name !== 'heldBy' && name !== 'madeBy',
  ),
};

export function workspaceRoutes(parts: ServiceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/workspaces',
      access: 'open',
      body: { ...SMALL_JSON, schema: SHAPE.schema },
      described: {
        operationId: 'createWorkspace',
        summary: 'create a workspace; its two secrets are shown once',
        success: {
          201: {
            description: 'the workspace and its first keys',
            schema: {
              type: 'object',
              properties: {
                workspace: WORKSPACE,
                ownerKey: textSchema,
                developmentKey: textSchema,
              },
              required: ['workspace', 'ownerKey', 'developmentKey'],
            },
          },
        },
        errors: [
          'signup_closed',
          'rate_limited',
          'unsupported_media_type',
          'body_too_large',
          'malformed_json',
          'invalid_request',
        ],
      },
      admit: ({ context, address }) => {
        if (parts.config.signup === 'closed') {
          return refuse('signup_closed', 'sign-up is closed here; ask the operator for a workspace');
        }
        return refuseMore(parts.signups, parts.signups.peek(limitSubject(address()), context.nowMs));
      },
      handle: async ({ context, request, body, address }) => {
        // Only browsers send an origin; a page under a name that is not ours must not create workspaces through one.
        if (request.header('origin') !== undefined && !isKnownHost(request.header('host'), parts.config))
          return problemAnswer(context, refuse('signup_closed', OTHER_PAGE));
        const read = readJson(SHAPE, body);
        if (read.kind === 'refused') return problemAnswer(context, read);
        const tooMany = refuseMore(parts.signups, parts.signups.take(limitSubject(address()), context.nowMs));
        if (tooMany !== null) return problemAnswer(context, tooMany);
        const made = await createWorkspace(
          parts.store,
          read.value.name,
          parts.check.clock.notBefore(context.nowMs),
          { kind: 'sign_up', id: 'http' },
        );
        const { id, name } = made.workspace;
        return json(201, {
          workspace: { id, name },
          ownerKey: made.ownerKey,
          developmentKey: made.developmentKey,
        });
      },
    },
    {
      method: 'GET',
      path: '/v1/workspace',
      access: 'either',
      described: {
        operationId: 'readWorkspace',
        summary: 'the workspace a key belongs to, and the key itself; `key` is null for a session',
        success: {
          200: {
            description: 'the workspace and the key',
            schema: {
              type: 'object',
              properties: { workspace: WORKSPACE, key: { anyOf: [KEY, { type: 'null' }] } },
              required: ['workspace', 'key'],
            },
          },
        },
        errors: [],
      },
      handle: async ({ actor }) => {
        const found = await parts.store.findWorkspace(actor.workspace);
        return json(200, {
          workspace: { id: actor.workspace, name: found?.name ?? '' },
          key: keyOf(actor),
        });
      },
    },
  ];
}

function keyOf(actor: Actor): object | null {
  if (actor.kind === 'person') return null;
  return actor.kind === 'checking_key' ? shownToItself(actor.key) : shownKey(actor.key);
}

function refuseMore(signups: WindowLimit, admission: Admission): Refusal | null {
  if (admission.admitted) return null;
  const message = `an address may create ${signups.limit} workspaces an hour`;
  return { ...refuse('rate_limited', message), retryAfterMs: admission.resetsInMs };
}
