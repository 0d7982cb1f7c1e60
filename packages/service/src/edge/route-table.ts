/** Finds the route of a request: a check's from the start on, every other once it is first asked for. */
import type { Route } from '../exchange/route.ts';
import { type FoundRoute, routeFinder } from './find-route.ts';

export interface RouteTable {
  /** Among the routes that are loaded. */
  readonly find: (method: string, path: string) => FoundRoute;
  /** Among all. Rejects if they cannot be loaded; the next call tries again. */
  readonly findAmongAll: (method: string, path: string) => FoundRoute | Promise<FoundRoute>;
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
  };
}
