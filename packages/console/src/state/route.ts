/** The current page: the part of the address after `#`, so that the service serves a single file. */
import { createStore, useStore } from './store.ts';

export interface Place {
  /** Such as `/decisions/dec_1`; always starts with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const place = createStore<Place>(read());
window.addEventListener('hashchange', () => place.set(read()));

export function usePlace(): Place {
  return useStore(place);
}

/** For the `href` of a link inside the console. */
export function href(path: string, query: { readonly [name: string]: string } = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(filled).toString();
  return `#${path}${search === '' ? '' : `?${search}`}`;
}

export function go(path: string, query: { readonly [name: string]: string } = {}): void {
  window.location.hash = href(path, query);
}

/** Like `go`, but adds no step for the back button; for filters and tabs. */
export function replacePlace(path: string, query: { readonly [name: string]: string } = {}): void {
  window.history.replaceState(null, '', href(path, query));
  place.set(read());
}

/** The values of the pattern's `:names`, or null if the path does not match. */
export function matchPath(pattern: string, path: string): { readonly [name: string]: string } | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':') && given[at] !== '') params[part.slice(1)] = given[at]!;
    else if (part !== given[at]) return null;
  }
  return params;
}

function read(): Place {
  // An invitation's link without its token. Only then: the tab stays at this address when its user goes on.
  if (window.location.hash === '' && window.location.pathname.endsWith('/invitation'))
    return { path: '/invitation', query: new URLSearchParams() };
  const [path = '', search = ''] = window.location.hash.replace(/^#/, '').split('?', 2);
  return { path: path.startsWith('/') ? path : `/${path}`, query: new URLSearchParams(search) };
}
