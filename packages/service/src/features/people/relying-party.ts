/** The page that passkeys belong to. */
import type { RelyingParty } from '@writecheck/ledger';
import type { PeopleParts } from './people-parts.ts';

/** INVARIANT: the one origin that passkeys work for comes from the settings, never from a header. */
export function partyOf({ publicUrl }: Pick<PeopleParts, 'publicUrl'>): RelyingParty {
  const { origin, hostname } = new URL(publicUrl());
  return { origin, rpId: hostname };
}
