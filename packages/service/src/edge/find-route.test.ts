import { expect, test } from 'vitest';
import type { Route } from '../exchange/route.ts';
import { routeFinder } from './find-route.ts';

const operation: Route['operation'] = {
  operationId: 'x',
  route: 'GET /',
  access: 'open',
  summary: 'x',
  answers: {},
  errors: [],
};
function route(method: Route['method'], path: string): Route {
  return {
    method,
    path,
    access: 'open',
    operation,
    handle: () => ({ status: 200, headers: {}, body: null }),
  };
}
const KEYS = route('GET', '/v1/keys');
const ROTATE = route('POST', '/v1/keys/{id}/rotate');
const find = routeFinder([KEYS, route('POST', '/v1/keys'), ROTATE, route('DELETE', '/v1/keys/{id}')]);

test('a path with parameters gives them decoded', () => {
  expect(find('POST', '/v1/keys/a%2Fb/rotate')).toEqual({
    kind: 'route',
    route: ROTATE,
    params: { id: 'a/b' },
  });
});

test('HEAD is answered wherever GET is', () => {
  expect(find('HEAD', '/v1/keys')).toMatchObject({ route: KEYS });
});

test('a known path with another method names the methods it has', () => {
  expect(find('PUT', '/v1/keys')).toEqual({ kind: 'other_methods', allow: 'GET, HEAD, OPTIONS, POST' });
  expect(find('GET', '/v1/keys/a')).toEqual({ kind: 'other_methods', allow: 'DELETE, OPTIONS' });
});

test('anything near a path is not the path', () => {
  for (const path of [
    '/v1/keys/',
    '//v1/keys',
    '/V1/keys',
    '/v1/keys/%zz/rotate',
    '/v1/keys/%00/rotate',
    '/v1/keys//rotate',
    '',
    '*',
    '/v1/keys/a/b/rotate',
  ]) {
    expect(find('POST', path), path).toEqual({ kind: 'none' });
  }
});

test('a word of a path is preferred to a parameter, which is tried if the word leads nowhere', () => {
  const [one, lift, mine, two] = [
    route('GET', '/v1/freezes/{id}'),
    route('POST', '/v1/freezes/{id}/lift'),
    route('GET', '/v1/freezes/mine/{of}'),
    route('GET', '/v1/{kind}/{id}/{part}'),
  ];
  const among = routeFinder([two!, one!, lift!, mine!]);
  const found = (method: string, path: string) => among(method, path);
  expect(found('GET', '/v1/freezes/mine')).toEqual({ kind: 'route', route: one, params: { id: 'mine' } });
  expect(found('GET', '/v1/freezes/mine/a')).toEqual({ kind: 'route', route: mine, params: { of: 'a' } });
  expect(found('POST', '/v1/freezes/a/lift')).toEqual({ kind: 'route', route: lift, params: { id: 'a' } });
  const params = { kind: 'freezes', id: 'a', part: 'b' };
  expect(found('GET', '/v1/freezes/a/b')).toEqual({ kind: 'route', route: two, params });
  expect(found('GET', '/v1/freezes/a/lift')).toEqual({ kind: 'other_methods', allow: 'OPTIONS, POST' });
  expect(found('GET', '/v1/freezes/a/b/c')).toEqual({ kind: 'none' });
});
