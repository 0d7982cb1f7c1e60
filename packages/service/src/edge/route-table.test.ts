import { expect, test, vi } from 'vitest';
import type { OpenRoute } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { allRoutes } from './all-routes.ts';
import { routeTable } from './find-route.ts';
import { firstRoutes } from './first-routes.ts';

const route = (method: string, path: string) => ({ method, path }) as OpenRoute;
const CHECK = route('POST', '/v1/check-write');
const KEYS = route('GET', '/v1/keys');

test('a check is found without loading other routes, and an unknown path is not found after loading them', async () => {
  const load = vi.fn(async () => [CHECK, KEYS]);
  const { find, findAmongAll } = routeTable([CHECK], load);
  expect(find('POST', '/v1/check-write')).toMatchObject({ route: CHECK });
  expect(find('GET', '/v1/keys').kind).toBe('none');
  expect(load).not.toHaveBeenCalled();
  const both = [findAmongAll('GET', '/v1/keys'), findAmongAll('GET', '/v1/nothing')];
  expect(await Promise.all(both)).toMatchObject([{ route: KEYS }, { kind: 'none' }]);
  expect(find('GET', '/v1/keys')).toMatchObject({ route: KEYS });
  expect(await findAmongAll('GET', '/v1/nothing')).toEqual({ kind: 'none' });
  expect(load).toHaveBeenCalledOnce();
});

test('the next request loads routes again that could not be loaded, and checks continue', async () => {
  const load = vi.fn(async () => [CHECK, KEYS]).mockRejectedValueOnce(new Error('a file is gone'));
  const { find, findAmongAll } = routeTable([CHECK], load);
  await expect(findAmongAll('GET', '/v1/keys')).rejects.toThrow('a file is gone');
  expect(find('POST', '/v1/check-write')).toMatchObject({ route: CHECK });
  expect(await findAmongAll('GET', '/v1/keys')).toMatchObject({ route: KEYS });
});

test('the other routes can be loaded ahead, and no request notices if that fails', async () => {
  const load = vi.fn(async () => [CHECK, KEYS]).mockRejectedValueOnce(new Error('a file is gone'));
  const { find, loadAhead } = routeTable([CHECK], load);
  loadAhead();
  await expect.poll(() => load.mock.settledResults.length).toBe(1);
  expect(find('GET', '/v1/keys').kind).toBe('none');
  loadAhead();
  await expect.poll(() => find('GET', '/v1/keys').kind).toBe('route');
  loadAhead();
  expect(load).toHaveBeenCalledTimes(2);
});

test('a path that a service starts with has all of its methods from the start on', () => {
  const parts = {} as ServiceParts;
  const first = firstRoutes(parts);
  const paths = new Set(first.map(({ path }) => path));
  expect(allRoutes(parts, first).filter(({ path }) => paths.has(path))).toEqual(first);
});
