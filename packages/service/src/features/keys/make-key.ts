/** Makes a key: the secret, shown once to its owner, and the row that stores only its hash. */
import type { ServiceRole } from '@writecheck/contract';
import type { KeyKind, NewKey } from '@writecheck/store/port';
import { newId } from '../../support/ids/new-id.ts';
import { hashOfSecret } from './authenticate.ts';
import { createSecret, hintOf } from './key-format.ts';

export interface KeyWish {
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAtMs?: number | undefined;
  readonly allowedSystems?: readonly string[] | undefined;
  readonly allowedWorkflows?: readonly string[] | undefined;
  /** A service key has at least one role; other keys have none. */
  readonly roles?: readonly ServiceRole[] | undefined;
  /** The ids of the people who hold and make it. */
  readonly heldBy?: string | undefined;
  readonly madeBy?: string | null;
}

interface MadeKey {
  readonly secret: string;
  readonly row: NewKey;
}

export function makeKey(wish: KeyWish, nowMs: number): MadeKey {
  const secret = createSecret(wish.kind);
  return {
    secret,
    row: {
      id: newId('key_', nowMs),
      kind: wish.kind,
      name: wish.name,
      hash: hashOfSecret(secret),
      hint: hintOf(secret, wish.kind),
      createdAtMs: nowMs,
      expiresAtMs: wish.expiresAtMs ?? null,
      allowedSystems: wish.allowedSystems ?? null,
      allowedWorkflows: wish.allowedWorkflows ?? null,
      roles: wish.roles ?? null,
      heldBy: wish.heldBy ?? null,
      madeBy: wish.madeBy ?? null,
    },
  };
}
