/** All routes. It is loaded when a request first asks for one that `first-routes.ts` does not have. */
import type { Route } from '../exchange/route.ts';
import { auditRoutes } from '../features/audit/audit-routes.ts';
import { authzenRoutes, metadataUnderPath } from '../features/authzen/authzen-routes.ts';
import { decisionRoutes } from '../features/decisions/decision-routes.ts';
import { evidenceRoutes } from '../features/decisions/evidence-routes.ts';
import { outcomeRoutes } from '../features/decisions/outcome-routes.ts';
import { receiptRoutes } from '../features/decisions/receipt-routes.ts';
import { requirementRoutes } from '../features/decisions/requirement-routes.ts';
import { freezeRoutes } from '../features/freezes/freeze-routes.ts';
import { impactRoutes } from '../features/impact/impact-routes.ts';
import { keyRoutes } from '../features/keys/key-routes.ts';
import { workspaceRoutes } from '../features/keys/workspace-routes.ts';
import { limitRoutes } from '../features/limits/limit-routes.ts';
import { oidcRoutes } from '../features/people/oidc-routes.ts';
import { peopleRoutes } from '../features/people/people-routes.ts';
import { sessionRoutes } from '../features/people/session-routes.ts';
import { policyRoutes } from '../features/policies/policy-routes.ts';
import { reviewRoutes } from '../features/reviews/review-routes.ts';
import { webhookRoutes } from '../features/webhooks/webhook-routes.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { consoleRoutes } from './console-routes.ts';
import { firstRoutes } from './first-routes.ts';
import { openApiDocument } from './openapi.ts';
import { publishedRoutes } from './published-routes.ts';

/** Those of the API, and those beside it. */
export function servedRoutes(parts: ServiceParts, first: readonly Route[]): readonly Route[] {
  return [...allRoutes(parts, first), ...metadataUnderPath(parts), ...consoleRoutes(parts.config)];
}

/** Those of the API. */
export function allRoutes(parts: ServiceParts, first = firstRoutes(parts)): readonly Route[] {
  const routes: readonly Route[] = [
    ...first,
    ...freezeRoutes(parts),
    ...limitRoutes(parts),
    ...authzenRoutes(parts),
    ...requirementRoutes(parts),
    ...workspaceRoutes(parts),
    ...keyRoutes(parts),
    ...peopleRoutes(parts),
    ...sessionRoutes(parts),
    ...oidcRoutes(parts),
    ...decisionRoutes(parts),
    ...receiptRoutes(parts),
    ...outcomeRoutes(parts),
    ...reviewRoutes(parts),
    ...webhookRoutes(parts),
    ...auditRoutes(parts),
    ...policyRoutes(parts),
    ...impactRoutes(parts),
    ...evidenceRoutes(parts),
    ...publishedRoutes(() => openApiDocument(routes)),
  ];
  return routes;
}
