/** Finds the route for a method and path, or the methods that the path allows; most routes load on first use. */
import type { Route } from '../exchange/route.ts';

export type FoundRoute =
  | { readonly kind: 'route'; readonly route: Route; readonly params: { readonly [name: string]: string } }
  | { readonly kind: 'other_methods'; readonly allow: string }
  | { readonly kind: 'none' };

interface Place {
  /** The names of the parameters, in the order of the path. */
  readonly names: readonly string[];
  /** The prepared result for a path without parameters, by method. */
  readonly byMethod: ReadonlyMap<string, FoundRoute & { readonly kind: 'route' }>;
  readonly otherMethods: FoundRoute;
}

/** A tree of the paths with parameters, segment by segment. */
interface Branch {
  readonly words: Map<string, Branch>;
  any: Branch | null;
  place: Place | null;
}

export function routeFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  // Paths without parameters are found in one step.
  const exact = new Map<string, Place>();
  const root = newBranch();
  for (const path of new Set(routes.map((route) => route.path))) {
    const segments = path.split('/');
    const place = placeOf(
      routes.filter((route) => route.path === path),
      segments.filter(isParameter).map((segment) => segment.slice(1, -1)),
    );
    if (place.names.length === 0) exact.set(path, place);
    else branchFor(root, segments).place = place;
  }
  return (method, path) => {
    const known = exact.get(path);
    if (known !== undefined) return known.byMethod.get(method) ?? known.otherMethods;
    const values: string[] = [];
    const place = follow(root, path.split('/'), 0, values);
    if (place === null) return NONE;
    const params: Record<string, string> = {};
    for (const [i, name] of place.names.entries()) {
      const value = decoded(values[i]!);
      if (value === null) return NONE;
      params[name] = value;
    }
    const found = place.byMethod.get(method);
    return found === undefined ? place.otherMethods : { kind: 'route', route: found.route, params };
  };
}

const NONE: FoundRoute = { kind: 'none' };
const NO_PARAMS = {};

function newBranch(): Branch {
  return { words: new Map(), any: null, place: null };
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function placeOf(routes: readonly Route[], names: readonly string[]): Place {
  const byMethod = new Map(
    routes.map((route) => [route.method as string, { kind: 'route' as const, route, params: NO_PARAMS }]),
  );
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  const allow = [...byMethod.keys(), 'OPTIONS'].sort().join(', ');
  return { names, byMethod, otherMethods: { kind: 'other_methods', allow } };
}

/** Creates the branch if it does not exist. */
function branchFor(root: Branch, segments: readonly string[]): Branch {
  let branch = root;
  for (const segment of segments) {
    const before = isParameter(segment) ? branch.any : branch.words.get(segment);
    const next = before ?? newBranch();
    if (isParameter(segment)) branch.any = next;
    else branch.words.set(segment, next);
    branch = next;
  }
  return branch;
}

/** A word is preferred to a parameter. Adds the values of the parameters on the way. */
function follow(branch: Branch, segments: readonly string[], at: number, values: string[]): Place | null {
  if (at === segments.length) return branch.place;
  const segment = segments[at]!;
  const word = branch.words.get(segment);
  const found = word === undefined ? null : follow(word, segments, at + 1, values);
  if (found !== null || branch.any === null || segment === '') return found;
  values.push(segment);
  const place = follow(branch.any, segments, at + 1, values);
  if (place === null) values.pop();
  return place;
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

/** True also for a path without a route, so that its error has the form of AuthZEN. */
export function isAuthzen(path: string): boolean {
  return path.startsWith('/access/v1/') || path.startsWith('/.well-known/authzen-configuration');
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
