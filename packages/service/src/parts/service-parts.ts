/** The parts that the routes need, as types alone; `runtime/build-parts.ts` builds them. */

import type { Store } from '@writecheck/store/port';
import type { CheckRates } from '../check/check-rates.ts';
import type { CheckParts } from '../check/check-write.ts';
import type { Readiness } from '../edge/readiness.ts';
import type { ExportPlaces } from '../features/audit/export-places.ts';
import type { Audit } from '../features/audit/open-audit.ts';
import type { ImpactRuns } from '../features/impact/impact-runs.ts';
import type { Authenticator } from '../features/keys/authenticate.ts';
import type { OidcParts } from '../features/people/oidc/sign-in.ts';
import type { PeopleParts } from '../features/people/people-parts.ts';
import type { PolicyParts } from '../features/policies/apply-policy.ts';
import type { ReviewParts } from '../features/reviews/review-parts.ts';
import type { WebhookParts } from '../features/webhooks/manage-webhooks.ts';
import type { Config } from '../support/config/settings.ts';
import type { WindowLimit } from '../support/window-limit.ts';

export interface ServiceParts {
  readonly config: Pick<Config, 'signup' | 'plan' | 'host' | 'publicUrl' | 'selfServePolicyBytes'>;
  readonly store: Store;
  readonly audit: Audit;
  readonly exports: ExportPlaces;
  readonly authenticator: Authenticator;
  readonly policies: PolicyParts;
  readonly check: CheckParts;
  readonly reviews: ReviewParts;
  readonly people: PeopleParts;
  readonly webhooks: WebhookParts;
  readonly signIn: {
    /** Requests from an address that has no key yet. */
    readonly limit: WindowLimit;
    /** Null if no identity provider is configured. */
    readonly oidc: OidcParts | null;
  };
  readonly impact: ImpactRuns;
  /** Checks a second by key, if configured. */
  readonly rates: CheckRates;
  readonly signups: WindowLimit;
  /** Whether this process can decide now. */
  readonly readiness: (clockMs: number) => Promise<Readiness>;
}
