/** Whether the service lists an open review for the user: it knows when a passkey was registered, and who asked. */

import type { Review } from '@writecheck/api';
import { success } from '../../api.ts';
import { listReviews } from '../../calls/reviews.ts';
import { mapped } from '../../replies.ts';
import { useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { mayDo } from './may-do.ts';

/** Null while it is unknown. Asked only if the controls name the user; an owner key is never barred. */
export function useIsListed(review: Review): boolean | null {
  const { id, intentDigest } = review;
  const person = useSession()?.person;
  const isInDoubt = person !== undefined && mayDo(review, person).mayVote;
  const { value } = useLoad(isInDoubt ? `${id} for ${person.id}` : 'no doubt', async (signal) => {
    if (!isInDoubt) return success(null);
    const listed = await listReviews({ for: 'me', intentDigest }, signal);
    return mapped(listed, ({ reviews }) => reviews.some((each) => each.id === id));
  });
  return value;
}
