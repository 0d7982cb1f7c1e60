/** Keys and workspaces. */
import { SERVICE_ROLES, type ServiceRole } from '@writecheck/contract';
import { bodyOf, choice, type Field, listOf, moment, name, optional, wholeNumber } from './fields.ts';
import { BODY_ERRORS, operations } from './operation.ts';
import { absent, described, list, nullable, object, type TypeOf, text, time } from './shape.ts';
import { label } from './text-fields.ts';
import { WHO } from './who.ts';

/** How long a rotated key can keep working. */
export const GRACE_SECONDS_MAX = 30 * 24 * 3_600;
const ALLOWED_MAX = 100;

const kind = choice('development', 'live', 'owner', 'service');
const ROLE_LIST = listOf(choice(...SERVICE_ROLES), 1, SERVICE_ROLES.length);
/** Sorts the roles as in the catalogue and drops repeated ones, so that equal sets look alike. */
const roles: Field<readonly ServiceRole[]> = {
  ...ROLE_LIST,
  read: (value) => {
    const read = ROLE_LIST.read(value);
    return 'fault' in read ? read : { value: SERVICE_ROLES.filter((role) => read.value.includes(role)) };
  },
};
const names = nullable(list(text));

/** What a key sees of itself. A checking key never learns who exists, so it does not see its holder. */
const OWN = {
  id: text,
  kind,
  name: text,
  hint: described('its prefix and last characters', text),
  createdAt: time,
  expiresAt: nullable(time),
  lastUsedAt: nullable(time),
  revokedAt: nullable(time),
  rotatedAt: nullable(time),
  allowedSystems: names,
  allowedWorkflows: names,
  roles: absent(
    described('what a service key may do; other kinds have none', list(choice(...SERVICE_ROLES))),
  ),
};
export const KEY = object({
  ...OWN,
  heldBy: nullable(text),
  madeBy: described('the person who made it; null if a key or the operator did', nullable(text)),
  revokedBy: absent(described('absent if nobody revoked it, or nobody recorded who did', WHO)),
});
const OWN_KEY = object({
  ...OWN,
  heldBy: absent(nullable(text)),
  madeBy: absent(nullable(text)),
  revokedBy: absent(WHO),
});
export const WORKSPACE = object({ id: text, name: text });
const RENAME = object({ name: text, at: time, by: WHO });
const ISSUED = object({ key: KEY, secret: text });

export type Key = TypeOf<typeof KEY>;
export type OwnKey = TypeOf<typeof OWN_KEY>;
export type IssuedKey = TypeOf<typeof ISSUED>;
export type Workspace = TypeOf<typeof WORKSPACE>;
/** A name that the workspace was given, when, and by whom. */
export type WorkspaceRename = TypeOf<typeof RENAME>;

export const KEYS = operations({
  createKey: {
    route: 'POST /v1/keys',
    access: 'managing',
    summary: 'create a key; its secret is shown once',
    body: bodyOf({
      kind,
      name: label,
      expiresAt: optional(moment),
      allowedSystems: optional(listOf(name, 1, ALLOWED_MAX)),
      allowedWorkflows: optional(listOf(name, 1, ALLOWED_MAX)),
      heldBy: optional(name),
      roles: optional(described('for a service key, which needs at least one', roles)),
    }),
    answers: { 201: ['the key and its secret', ISSUED] },
    errors: [...BODY_ERRORS, 'plan_limit'],
  },
  listKeys: {
    route: 'GET /v1/keys',
    access: 'managing',
    summary: 'all keys of the workspace, never a secret',
    answers: { 200: ['the keys, oldest first', object({ keys: list(KEY) })] },
    errors: [],
  },
  revokeKey: {
    route: 'DELETE /v1/keys/{id}',
    access: 'managing',
    summary: 'revoke a key, immediately and permanently',
    answers: { 204: ['revoked', null] },
    errors: ['not_found', 'last_owner_key'],
  },
  rotateKey: {
    route: 'POST /v1/keys/{id}/rotate',
    access: 'managing',
    summary: 'replace a key with a new one like it; the old one keeps working for a grace period',
    body: bodyOf({ graceSeconds: optional(wholeNumber(0, GRACE_SECONDS_MAX)) }),
    isBodyOptional: true,
    answers: { 201: ['the new key and its secret', ISSUED] },
    errors: [...BODY_ERRORS, 'not_found', 'key_not_active', 'plan_limit'],
  },
});

export const WORKSPACES = operations({
  createWorkspace: {
    route: 'POST /v1/workspaces',
    access: 'open',
    summary: 'create a workspace; its two secrets are shown once',
    body: bodyOf({ name: label }),
    answers: {
      201: [
        'the workspace and its first keys',
        object({ workspace: WORKSPACE, ownerKey: text, developmentKey: text }),
      ],
    },
    errors: ['signup_closed', 'rate_limited', ...BODY_ERRORS],
  },
  readWorkspace: {
    route: 'GET /v1/workspace',
    access: 'either',
    summary: 'the workspace a key belongs to, and the key itself; `key` is null for a session',
    answers: {
      200: [
        'the workspace and the key',
        object({
          workspace: WORKSPACE,
          key: nullable(OWN_KEY),
          renames: absent(
            described('the newest renames, oldest first; absent for checking keys', list(RENAME)),
          ),
        }),
      ],
    },
    errors: [],
  },
  renameWorkspace: {
    route: 'PATCH /v1/workspace',
    access: 'managing',
    summary: 'rename the workspace; its id stays, and its current name changes nothing',
    body: bodyOf({ name: label }),
    answers: { 200: ['the workspace', object({ workspace: WORKSPACE })] },
    errors: BODY_ERRORS,
  },
});
