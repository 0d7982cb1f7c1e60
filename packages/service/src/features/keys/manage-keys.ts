/** Creates, rotates and revokes keys, with the rules that hold for every caller. */
import { type Store, type StoredKey, UNREVOKED_KEYS_MAX } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { newId } from '../../support/ids/new-id.ts';
import { hashOfSecret } from './authenticate.ts';
import { createSecret, hintOf } from './key-format.ts';
import { type KeyWish, makeKey } from './make-key.ts';

type Plan = 'private' | 'hosted';

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

export async function createKey(
  store: Store,
  plan: Plan,
  workspace: string,
  wish: KeyWish,
  nowMs: number,
  by: Acting,
): Promise<IssuedKey | Refusal> {
  if (wish.kind === 'live') {
    const refusal = await refuseLive(store, plan, workspace);
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
  store: Store,
  plan: Plan,
  workspace: string,
  keyId: string,
  graceSeconds: number | undefined,
  nowMs: number,
  by: Acting,
): Promise<IssuedKey | Refusal> {
  const old = (await store.listKeys(workspace)).find((key) => key.id === keyId);
  if (old === undefined) return NO_SUCH_KEY;
  if (old.kind === 'live') {
    const refusal = await refuseLive(store, plan, workspace);
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
  store: Store,
  workspace: string,
  keyId: string,
  nowMs: number,
  by: Acting,
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

async function refuseLive(store: Store, plan: Plan, workspace: string): Promise<Refusal | null> {
  if (plan === 'private') return null;
  const found = await store.findWorkspace(workspace);
  if (found?.liveGranted) return null;
  return refuse(
    'plan_limit',
    'live keys need the operator to grant them to this workspace, with `writecheck workspace grant-live`',
  );
}
