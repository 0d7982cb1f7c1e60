/** Manages the keys of a workspace. */
import { SERVICE_ROLES } from '@writecheck/contract';
import { type Answer, json, NO_CONTENT } from '../../answer.ts';
import { bodyOf, choice, listOf, moment, name, optional, wholeNumber } from '../../fields/body-fields.ts';
import { label } from '../../fields/text-fields.ts';
import {
  createKey,
  GRACE_SECONDS_MAX,
  type IssuedKey,
  revokeKey,
  rotateKey,
} from '../../keys/manage-keys.ts';
import { shownKey } from '../../keys/shown-key.ts';
import { actingOf, personIdOf } from '../../people/actor.ts';
import { findPerson } from '../../people/commit-person.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { RequestContext } from '../../request-context.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { BODY_ERRORS, keySchema, SMALL_JSON, textSchema } from './shared-schemas.ts';

const ALLOWED_MAX = 100;

const CREATE = bodyOf({
  kind: choice('development', 'live', 'owner', 'service'),
  name: label,
  expiresAt: optional(moment),
  allowedSystems: optional(listOf(name, 1, ALLOWED_MAX)),
  allowedWorkflows: optional(listOf(name, 1, ALLOWED_MAX)),
  heldBy: optional(name),
  roles: optional(listOf(choice(...SERVICE_ROLES), 1, SERVICE_ROLES.length)),
});
const ROTATE = bodyOf({ graceSeconds: optional(wholeNumber(0, GRACE_SECONDS_MAX)) });

const ISSUED = {
  type: 'object',
  properties: { key: keySchema, secret: textSchema },
  required: ['key', 'secret'],
};

export function keyRoutes(parts: ServiceParts): readonly Route[] {
  return [createRoute(parts), listRoute(parts), revokeRoute(parts), rotateRoute(parts)];
}

function createRoute({ store, config, people, check }: ServiceParts): Route {
  return {
    method: 'POST',
    path: '/v1/keys',
    access: 'managing',
    body: { ...SMALL_JSON, schema: CREATE.schema },
    described: {
      operationId: 'createKey',
      summary: 'create a key; its secret is shown once',
      success: { 201: { description: 'the key and its secret', schema: ISSUED } },
      errors: [...BODY_ERRORS, 'plan_limit'],
    },
    handle: async ({ context, actor, body }) => {
      const read = readJson(CREATE, body);
      if (read.kind === 'refused') return problemAnswer(context, read);
      const wish = read.value;
      const refusal = refuseWish(wish, context.nowMs);
      if (refusal !== null) return problemAnswer(context, refusal);
      const { heldBy } = wish;
      if (heldBy !== undefined && (await findPerson(people, actor.workspace, heldBy)) === null)
        return problemAnswer(context, NO_HOLDER);
      return issued(
        context,
        await createKey(
          store,
          config.plan,
          actor.workspace,
          { ...wish, expiresAtMs: wish.expiresAt, madeBy: personIdOf(actor) },
          check.clock.notBefore(context.nowMs),
          actingOf(actor),
        ),
      );
    },
  };
}

const LISTED = {
  type: 'object',
  properties: { keys: { type: 'array', items: keySchema } },
  required: ['keys'],
};

function listRoute({ store, authenticator }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/keys',
    access: 'managing',
    described: {
      operationId: 'listKeys',
      summary: 'all keys of the workspace, never a secret',
      success: {
        200: {
          description: 'the keys, oldest first',
          schema: LISTED,
        },
      },
      errors: [],
    },
    handle: async ({ actor }) => {
      await authenticator.flushUses();
      const keys = await store.listKeys(actor.workspace);
      return json(200, { keys: keys.map(shownKey) });
    },
  };
}

function revokeRoute({ store, authenticator, check }: ServiceParts): Route {
  return {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    access: 'managing',
    described: {
      operationId: 'revokeKey',
      summary: 'revoke a key, immediately and permanently',
      success: { 204: { description: 'revoked', schema: null } },
      errors: ['not_found', 'last_owner_key'],
    },
    handle: async ({ context, actor, params }) => {
      const nowMs = check.clock.notBefore(context.nowMs);
      const outcome = await revokeKey(store, actor.workspace, params.id!, nowMs, actingOf(actor));
      if (outcome.kind === 'refused') return problemAnswer(context, outcome);
      authenticator.forgetAll();
      return NO_CONTENT;
    },
  };
}

function rotateRoute({ store, config, authenticator, check }: ServiceParts): Route {
  return {
    method: 'POST',
    path: '/v1/keys/{id}/rotate',
    access: 'managing',
    body: { ...SMALL_JSON, isOptional: true, schema: ROTATE.schema },
    described: {
      operationId: 'rotateKey',
      summary: 'replace a key with a new one like it; the old one keeps working for a grace period',
      success: { 201: { description: 'the new key and its secret', schema: ISSUED } },
      errors: [...BODY_ERRORS, 'not_found', 'key_not_active', 'plan_limit'],
    },
    handle: async ({ context, actor, params, body }) => {
      const read = body.length === 0 ? null : readJson(ROTATE, body);
      if (read?.kind === 'refused') return problemAnswer(context, read);
      const graceSeconds = read?.value.graceSeconds;
      const outcome = await rotateKey(
        store,
        config.plan,
        actor.workspace,
        params.id!,
        graceSeconds,
        check.clock.notBefore(context.nowMs),
        actingOf(actor),
      );
      authenticator.forgetAll();
      return issued(context, outcome);
    },
  };
}

const NO_HOLDER_MESSAGE = '`heldBy` must be the id of a person of this workspace';
const NO_HOLDER = refuse('invalid_request', NO_HOLDER_MESSAGE, [
  { pointer: '/heldBy', message: NO_HOLDER_MESSAGE },
]);

function refuseWish(
  wish: {
    readonly kind: string;
    readonly expiresAt: number | undefined;
    readonly allowedSystems: readonly string[] | undefined;
    readonly allowedWorkflows: readonly string[] | undefined;
    readonly roles: readonly string[] | undefined;
  },
  nowMs: number,
): Refusal | null {
  const details = [];
  if (wish.expiresAt !== undefined && wish.expiresAt <= nowMs) {
    details.push({ pointer: '/expiresAt', message: '`expiresAt` must be in the future' });
  }
  for (const member of ['allowedSystems', 'allowedWorkflows'] as const) {
    if (isChecking(wish.kind) || wish[member] === undefined) continue;
    details.push({ pointer: `/${member}`, message: `\`${member}\` is for keys that send checks` });
  }
  if ((wish.kind === 'service') !== (wish.roles !== undefined)) {
    const message =
      wish.kind === 'service'
        ? `a service key needs \`roles\`: one or more of ${SERVICE_ROLES.join(', ')}`
        : '`roles` is for service keys';
    details.push({ pointer: '/roles', message });
  }
  return details.length === 0 ? null : refuse('invalid_request', details[0]!.message, details);
}

function isChecking(kind: string): boolean {
  return kind === 'development' || kind === 'live';
}

function issued(context: RequestContext, outcome: IssuedKey | Refusal): Answer {
  if (outcome.kind === 'refused') return problemAnswer(context, outcome);
  return json(201, { key: shownKey(outcome.key), secret: outcome.secret });
}
