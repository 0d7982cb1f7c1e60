/** Invitations: a token that is shown once, in a URL, and that one person spends to register a passkey. */
import { HOUR_MS } from '@writecheck/contract';
import type { FoundPerson, Inviter, StoredInvitation } from '@writecheck/store/port/people';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { hashOfSecret } from '../keys/authenticate.ts';
import { createSecret, kindOfSecret } from '../keys/key-format.ts';
import type { PeopleParts } from './people-parts.ts';

const INVITATION_MS = 72 * HOUR_MS;

export interface MadeInvitation {
  readonly url: string;
  readonly stored: StoredInvitation;
}

export function makeInvitation(
  { publicUrl }: Pick<PeopleParts, 'publicUrl'>,
  by: Inviter,
  nowMs: number,
): MadeInvitation {
  const token = createSecret('invitation');
  return {
    // The token follows the `#`, because a browser never sends that part.
    url: `${publicUrl()}/invitation#${token}`,
    stored: { hash: hashOfSecret(token), expiresAtMs: nowMs + INVITATION_MS, by },
  };
}

export const NO_INVITATION = refuse(
  'not_found',
  'the invitation is unknown, was used or has expired; ask an owner of the workspace for a new one',
);

/** The person it was made for, if it is live. */
export async function findInvited(
  { store }: Pick<PeopleParts, 'store'>,
  token: string,
  nowMs: number,
): Promise<FoundPerson | Refusal> {
  if (kindOfSecret(token) !== 'invitation') return NO_INVITATION;
  const person = await store.findPersonByInvitation(hashOfSecret(token));
  const isLive =
    person !== null && person.state === 'invited' && (person.invitation?.expiresAtMs ?? 0) > nowMs;
  return isLive ? person : NO_INVITATION;
}
