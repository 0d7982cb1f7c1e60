/** The routes that a service starts with. */
import { checkRoutes } from '../check/check-routes.ts';
import type { Route } from '../exchange/route.ts';
import { healthRoutes } from './health-routes.ts';
import type { ServiceParts } from './service-parts.ts';

export function firstRoutes(parts: ServiceParts): readonly Route[] {
  return [...checkRoutes(parts), ...healthRoutes(parts)];
}
