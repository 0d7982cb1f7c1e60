/** From method and path to a route, or to the methods that the path does know. */
import type { Route } from './route.ts';

export type FoundRoute =
  | { readonly kind: 'route'; readonly route: Route; readonly params: { readonly [name: string]: string } }
  | { readonly kind: 'other_methods'; readonly allow: string }
  | { readonly kind: 'none' };

interface Place {
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly allow: string;
}

export function routeFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  const exact = new Map<string, Place>();
  const templates: Place[] = [];
  for (const path of new Set(routes.map((route) => route.path))) {
    const byMethod = new Map<string, Route>();
    for (const route of routes.filter((each) => each.path === path)) byMethod.set(route.method, route);
    const get = byMethod.get('GET');
    if (get !== undefined) byMethod.set('HEAD', get);
    const place = {
      segments: path.split('/'),
      byMethod,
      allow: [...byMethod.keys(), 'OPTIONS'].sort().join(', '),
    };
    if (path.includes('{')) templates.push(place);
    else exact.set(path, place);
  }
  return (method, path) => {
    const place = exact.get(path);
    if (place !== undefined) return atPlace(place, method, {});
    const segments = path.split('/');
    for (const template of templates) {
      const params = matchSegments(template.segments, segments);
      if (params !== null) return atPlace(template, method, params);
    }
    return { kind: 'none' };
  };
}

function atPlace(place: Place, method: string, params: { readonly [name: string]: string }): FoundRoute {
  const route = place.byMethod.get(method);
  return route === undefined
    ? { kind: 'other_methods', allow: place.allow }
    : { kind: 'route', route, params };
}

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
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
