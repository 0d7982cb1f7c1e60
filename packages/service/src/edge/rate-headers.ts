/** The `RateLimit-Policy` and `RateLimit` fields (IETF draft, structured form). */
import type { Answer } from '../exchange/answer.ts';
import type { RateTaken, WindowLimit } from '../support/window-limit.ts';

export function rateHeaders(policy: string, limit: WindowLimit, admission: RateTaken): Answer['headers'] {
  return {
    'ratelimit-policy': `"${policy}";q=${limit.limit};w=${Math.ceil(limit.windowMs / 1_000)}`,
    ratelimit: `"${policy}";r=${admission.remaining};t=${Math.ceil(admission.resetsInMs / 1_000)}`,
  };
}
