/** All routes. */
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit-routes.ts';
import { checkRoutes } from './routes/check-routes.ts';
import { countRoutes } from './routes/count-routes.ts';
import { decisionRoutes } from './routes/decision-routes.ts';
import { deliveryRoutes } from './routes/delivery-routes.ts';
import { evidenceRoutes } from './routes/evidence-routes.ts';
import { exportRoute } from './routes/export-route.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { impactRoutes } from './routes/impact-routes.ts';
import { keyRoutes } from './routes/key-routes.ts';
import { oidcRoutes } from './routes/oidc-routes.ts';
import { passkeyRoutes } from './routes/passkey-routes.ts';
import { peopleRoutes } from './routes/people-routes.ts';
import { policyRoutes } from './routes/policy-routes.ts';
import { promotionRoutes } from './routes/promotion-routes.ts';
import { publishedRoutes } from './routes/published-routes.ts';
import { receiptRoutes } from './routes/receipt-routes.ts';
import { requirementRoutes } from './routes/requirement-routes.ts';
import { reviewRoutes } from './routes/review-routes.ts';
import { revisionRoutes } from './routes/revision-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { usageRoutes } from './routes/usage-routes.ts';
import { verdictRoutes } from './routes/verdict-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import { workspaceRoutes } from './routes/workspace-routes.ts';
import type { ServiceParts } from './service-parts.ts';

export function allRoutes(parts: ServiceParts): readonly Route[] {
  const routes: readonly Route[] = [
    ...checkRoutes(parts),
    ...requirementRoutes(parts),
    ...workspaceRoutes(parts),
    ...keyRoutes(parts),
    ...peopleRoutes(parts),
    ...sessionRoutes(parts),
    ...passkeyRoutes(parts),
    ...oidcRoutes(parts),
    ...usageRoutes(parts),
    ...decisionRoutes(parts),
    ...countRoutes(parts),
    ...receiptRoutes(parts),
    ...reviewRoutes(parts),
    ...verdictRoutes(parts),
    ...webhookRoutes(parts),
    ...deliveryRoutes(parts),
    ...auditRoutes(parts),
    exportRoute(parts),
    ...policyRoutes(parts),
    ...revisionRoutes(parts),
    ...impactRoutes(parts),
    ...promotionRoutes(parts),
    ...evidenceRoutes(parts),
    ...healthRoutes(parts),
    ...publishedRoutes(() => openApiDocument(routes)),
  ];
  return routes;
}
