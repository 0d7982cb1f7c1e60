/** Finds the route for a method and path, or the methods that the path allows. */
import type { Route } from '../exchange/route.ts';

export type FoundRoute =
  | { readonly kind: 'route'; readonly route: Route; readonly params: { readonly [name: string]: string } }
  | { readonly kind: 'other_methods'; readonly allow: string }
  | { readonly kind: 'none' };

interface Place {
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly otherMethods: FoundRoute;
}

export function routeFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  // Paths without parameters are found in one step, with a prepared result.
  const exact = new Map<
    string,
    { readonly byMethod: Map<string, FoundRoute>; readonly otherMethods: FoundRoute }
  >();
  const templates: Place[] = [];
  for (const path of new Set(routes.map((route) => route.path))) {
    const byMethod = new Map<string, Route>();
    for (const route of routes.filter((each) => each.path === path)) byMethod.set(route.method, route);
    const get = byMethod.get('GET');
    if (get !== undefined) byMethod.set('HEAD', get);
    const allow = [...byMethod.keys(), 'OPTIONS'].sort().join(', ');
    const otherMethods: FoundRoute = { kind: 'other_methods', allow };
    if (path.includes('{')) {
      templates.push({ segments: path.split('/'), byMethod, otherMethods });
      continue;
    }
    const found = [...byMethod].map(([method, route]): [string, FoundRoute] => [
      method,
      { kind: 'route', route, params: NO_PARAMS },
    ]);
    exact.set(path, { byMethod: new Map(found), otherMethods });
  }
  return (method, path) => {
    const place = exact.get(path);
    if (place !== undefined) return place.byMethod.get(method) ?? place.otherMethods;
    const segments = path.split('/');
    for (const { segments: template, byMethod, otherMethods } of templates) {
      const params = matchSegments(template, segments);
      if (params === null) continue;
      const route = byMethod.get(method);
      return route === undefined ? otherMethods : { kind: 'route', route, params };
    }
    return { kind: 'none' };
  };
}

const NO_PARAMS = {};

function matchSegments(
  template: readonly string[],
  segments: readonly string[],
): { readonly [name: string]: string } | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of template.entries()) {
    const segment = segments[at]!;
    if (!part.startsWith('{')) {
      if (part !== segment) return null;
      continue;
    }
    const value = decoded(segment);
    if (value === null || value === '') return null;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | null {
  try {
    const value = decodeURIComponent(segment);
    // No id contains NUL, and PostgreSQL cannot even compare with it.
    return value.includes('\0') ? null : value;
  } catch {
    return null;
  }
}
