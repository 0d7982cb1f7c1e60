/** A key as responses and commands show it: everything except its secret. */
import type { Key, OwnKey } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import type { StoredKey } from '@writecheck/store/port';

/** What a checking key sees of itself: not its holder, because it never learns who exists. */
export function shownToItself(key: StoredKey): OwnKey {
  const { heldBy: _, madeBy: __, revokedBy: ___, ...own } = shownKey(key);
  return own;
}

export function shownKey(key: StoredKey): Key {
  return {
    id: key.id,
    kind: key.kind,
    name: key.name,
    hint: key.hint,
    createdAt: isoTime(key.createdAtMs),
    expiresAt: moment8601(key.expiresAtMs),
    lastUsedAt: moment8601(key.lastUsedAtMs),
    revokedAt: moment8601(key.revokedAtMs),
    rotatedAt: moment8601(key.rotatedAtMs),
    allowedSystems: key.allowedSystems,
    allowedWorkflows: key.allowedWorkflows,
    ...(key.roles !== null && { roles: key.roles }),
    heldBy: key.heldBy,
    madeBy: key.madeBy,
    ...(key.revokedBy !== null && { revokedBy: key.revokedBy }),
  };
}

function moment8601(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
