/** Finds the route for a method and path, or the methods that the path allows; most routes load on first use. */
import type { AnswerForm, Route } from '../exchange/route.ts';

export type FoundRoute =
  | { readonly kind: 'route'; readonly route: Route; readonly params: { readonly [name: string]: string } }
  | { readonly kind: 'other_methods'; readonly allow: string; readonly form?: AnswerForm | undefined }
  | { readonly kind: 'none' };

interface Place {
  /** The words of the path; null for a parameter. */
  readonly words: readonly (string | null)[];
  /** The names of the parameters, in the order of the path. */
  readonly names: readonly string[];
  /** The prepared result for a path without parameters, by method. */
  readonly byMethod: ReadonlyMap<string, FoundRoute & { readonly kind: 'route' }>;
  readonly otherMethods: FoundRoute;
}

export function routeFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  const places = [...Map.groupBy(routes, ({ path }) => path)].map(([path, routesOfPath]) =>
    placeOf(path, routesOfPath),
  );
  // Paths without parameters are found in one step.
  const exact = new Map(
    places.filter(({ names }) => names.length === 0).map((place) => [place.words.join('/'), place]),
  );
  // A word is preferred to a parameter.
  const others = Map.groupBy(
    places.filter(({ names }) => names.length > 0).toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)),
    ({ words }) => words.length,
  );
  return (method, path) => {
    const known = exact.get(path);
    if (known !== undefined) return known.byMethod.get(method) ?? known.otherMethods;
    const segments = path.split('/');
    const place = others.get(segments.length)?.find(({ words }) => fits(words, segments));
    if (place === undefined) return NONE;
    const values = segments.filter((_, i) => place.words[i] === null).map(decoded);
    if (values.includes(null)) return NONE;
    const found = place.byMethod.get(method);
    if (found === undefined) return place.otherMethods;
    const params = Object.fromEntries(place.names.map((name, i) => [name, values[i]!]));
    return { kind: 'route', route: found.route, params };
  };
}

const NONE: FoundRoute = { kind: 'none' };
const NO_PARAMS = {};

function rankOf({ words }: Place): string {
  return words.map((word) => (word === null ? 1 : 0)).join('');
}

function fits(words: Place['words'], segments: readonly string[]): boolean {
  return words.every((word, i) => (word === null ? segments[i] !== '' : word === segments[i]));
}

function placeOf(path: string, routes: readonly Route[]): Place {
  const words = path.split('/').map((segment) => (segment.startsWith('{') ? null : segment));
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const byMethod = new Map(
    routes.map((route) => [route.method as string, { kind: 'route' as const, route, params: NO_PARAMS }]),
  );
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  const allow = [...byMethod.keys(), 'OPTIONS'].sort().join(', ');
  return { words, names, byMethod, otherMethods: { kind: 'other_methods', allow, form: routes[0]?.form } };
}

function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    const value = decodeURIComponent(segment);
    // No id contains NUL, and PostgreSQL cannot even compare with it.
    return value.includes('\0') ? null : value;
  } catch {
    return null;
  }
}

export interface RouteTable {
  /** Searches the routes that are loaded. */
  readonly find: (method: string, path: string) => FoundRoute;
  /** Searches all routes. Rejects if they cannot be loaded; the next call tries again. */
  readonly findAmongAll: (method: string, path: string) => FoundRoute | Promise<FoundRoute>;
  /** Loads the other routes before the first request for one. If it fails, that request tries again. */
  readonly loadAhead: () => void;
}

/** A path of `first` has all of its methods there. `loadAll` returns these too. */
export function routeTable(first: readonly Route[], loadAll: () => Promise<readonly Route[]>): RouteTable {
  let find = routeFinder(first);
  let isWhole = false;
  let loading: Promise<void> | null = null;
  const load = async (): Promise<void> => {
    try {
      find = routeFinder(await loadAll());
      isWhole = true;
    } finally {
      loading = null;
    }
  };
  return {
    find: (method, path) => find(method, path),
    findAmongAll(method, path) {
      if (isWhole) return find(method, path);
      loading ??= load();
      return loading.then(() => find(method, path));
    },
    loadAhead() {
      if (isWhole) return;
      loading ??= load();
      loading.catch(() => undefined);
    },
  };
}
