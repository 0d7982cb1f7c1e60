/** Creates, rotates and revokes keys, with the rules that hold over HTTP and on the command line. */
import { SERVICE_ROLES } from '@writecheck/contract';
import { type Store, type StoredKey, UNREVOKED_KEYS_MAX } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import type { Config } from '../../support/config/settings.ts';
import { newId } from '../../support/ids/new-id.ts';
import { hashOfSecret } from './authenticate.ts';
import { createSecret, hintOf } from './key-format.ts';
import { type KeyWish, makeKey } from './make-key.ts';

/** Whose keys change, by whom and when. */
interface KeyChange {
  readonly store: Store;
  readonly workspace: string;
  readonly nowMs: number;
  readonly by: Acting;
}

interface NewKeyChange extends KeyChange {
  readonly plan: Config['plan'];
}

export interface IssuedKey {
  readonly kind: 'issued';
  readonly key: StoredKey;
  readonly secret: string;
}

const GRACE_SECONDS = { development: 3_600, live: 3_600, service: 3_600, owner: 0 } as const;

const TOO_MANY = refuse(
  'plan_limit',
  `a workspace has at most ${UNREVOKED_KEYS_MAX} keys; revoke one that is no longer used`,
);
const NO_SUCH_KEY = refuse(
  'not_found',
  'there is no such key in this workspace; list the keys to find its id',
);

/** What a wish gets wrong, by its member; every caller names the member in its own way. */
export function faultsOfWish(
  { kind, expiresAtMs, roles, ...scope }: KeyWish,
  nowMs: number,
): readonly { readonly member: string; readonly fault: string }[] {
  const faults = [];
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
    faults.push({ member: 'expiresAt', fault: 'must be in the future' });
  for (const member of ['allowedSystems', 'allowedWorkflows'] as const) {
    if (scope[member] === undefined || kind === 'development' || kind === 'live') continue;
    faults.push({ member, fault: `is for keys that send checks, not for ${kind} keys` });
  }
  if (kind === 'service' && roles === undefined)
    faults.push({ member: 'roles', fault: `must name one or more of ${SERVICE_ROLES.join(', ')}` });
  if (kind !== 'service' && roles !== undefined)
    faults.push({ member: 'roles', fault: 'is for service keys' });
  return faults;
}

export async function createKey(change: NewKeyChange, wish: KeyWish): Promise<IssuedKey | Refusal> {
  const { store, workspace, nowMs, by } = change;
  if (wish.kind === 'live') {
    const refusal = await refuseLive(change);
    if (refusal !== null) return refusal;
  }
  const { secret, row } = makeKey(wish, nowMs);
  const outcome = await store.createKey(workspace, row, by);
  switch (outcome.kind) {
    case 'created':
      return { kind: 'issued', key: outcome.key, secret };
    case 'too_many_keys':
      return TOO_MANY;
    case 'no_such_workspace':
      return refuse('not_found', `there is no workspace \`${workspace}\``);
  }
}

export async function rotateKey(
  change: NewKeyChange,
  keyId: string,
  graceSeconds: number | undefined,
): Promise<IssuedKey | Refusal> {
  const { store, workspace, nowMs, by } = change;
  const old = (await store.listKeys(workspace)).find((key) => key.id === keyId);
  if (old === undefined) return NO_SUCH_KEY;
  if (old.kind === 'live') {
    const refusal = await refuseLive(change);
    if (refusal !== null) return refusal;
  }
  const secret = createSecret(old.kind);
  const outcome = await store.rotateKey({
    workspace,
    keyId,
    nowMs,
    oldExpiresAtMs: nowMs + (graceSeconds ?? GRACE_SECONDS[old.kind]) * 1_000,
    replacement: {
      id: newId('key_', nowMs),
      hash: hashOfSecret(secret),
      hint: hintOf(secret, old.kind),
      // The person who rotates a key sees its secret. An owner key belongs to no person, so the maker stays the same.
      ...(by.kind === 'person' && { madeBy: by.id }),
    },
    by,
  });
  switch (outcome.kind) {
    case 'rotated':
      return { kind: 'issued', key: outcome.key, secret };
    case 'too_many_keys':
      return TOO_MANY;
    case 'not_found':
      return NO_SUCH_KEY;
    case 'not_active':
      return refuse('key_not_active', NOT_ACTIVE[outcome.because]);
  }
}

const NOT_ACTIVE = {
  rotated: 'the key was already rotated; use the key that replaced it, or create a new one',
  expired: 'the key has expired; create a new one',
  revoked: 'the key was revoked; create a new one',
} as const;

export async function revokeKey(
  { store, workspace, nowMs, by }: KeyChange,
  keyId: string,
): Promise<{ readonly kind: 'revoked' } | Refusal> {
  const outcome = await store.revokeKey(workspace, keyId, nowMs, by);
  switch (outcome.kind) {
    case 'revoked':
      return { kind: 'revoked' };
    case 'not_found':
      return NO_SUCH_KEY;
    case 'last_owner_key':
      return refuse(
        'last_owner_key',
        'this is the last owner key that never expires; create another one before you revoke it',
      );
  }
}

async function refuseLive({ store, plan, workspace }: NewKeyChange): Promise<Refusal | null> {
  if (plan === 'private') return null;
  const found = await store.findWorkspace(workspace);
  if (found?.liveGranted) return null;
  return refuse(
    'plan_limit',
    'live keys need the operator to grant them to this workspace, with `writecheck workspace grant-live`',
  );
}
