/** The routes that a service starts with. */
import { checkRoutes } from '../check/check-routes.ts';
import type { Route } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { healthRoutes } from './health-routes.ts';

export function firstRoutes(parts: ServiceParts): readonly Route[] {
  return [...checkRoutes(parts), ...healthRoutes(parts)];
}
