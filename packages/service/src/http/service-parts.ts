/** The parts that the routes need; `start/build-parts.ts` builds them. */
import type { Audit } from '../audit/open-audit.ts';
import type { CheckParts } from '../check-write/check-write.ts';
import type { Config } from '../config/settings.ts';
import type { PromotionParts } from '../impact/promote.ts';
import type { Authenticator } from '../keys/authenticate.ts';
import type { PeopleParts } from '../people/people-parts.ts';
import type { SignInParts } from '../people/sign-in-parts.ts';
import type { PolicyParts } from '../policies/apply-policy.ts';
import type { Readiness } from '../readiness.ts';
import type { ReviewParts } from '../reviews/review-parts.ts';
import type { Store } from '../store/port.ts';
import type { WebhookParts } from '../webhooks/webhook-desk.ts';
import type { WindowLimit } from '../window-limit.ts';

export interface ServiceParts {
  readonly config: Pick<Config, 'signup' | 'plan' | 'host' | 'publicUrl'>;
  readonly store: Store;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly policies: PolicyParts;
  readonly check: CheckParts;
  readonly reviews: ReviewParts;
  readonly people: PeopleParts;
  readonly webhooks: WebhookParts;
  readonly signIn: SignInParts;
  readonly impact: PromotionParts;
  /** Checks a second by key, if configured. */
  readonly ratePerKey: WindowLimit | null;
  readonly signups: WindowLimit;
  /** Whether this process can decide now. */
  readonly readiness: (clockMs: number) => Promise<Readiness>;
}
