/** What a page reads of a response is in the OpenAPI document: both come from one definition. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '@writecheck/service/edge/all-routes';
import { openApiDocument } from '@writecheck/service/edge/openapi';
import type { ServiceParts } from '@writecheck/service/parts/service-parts';
import { expect, test } from 'vitest';
import type { call } from '../src/api.ts';

const SOURCE = join(import.meta.dirname, '../src');
const files = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter((file) => !file.includes('.test.'));
const textOf = (file: string): string => readFileSync(join(SOURCE, file), 'utf8');

test('every route that the console calls is in the OpenAPI document', () => {
  const { paths } = openApiDocument(allRoutes({} as ServiceParts)) as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: object } };
  };
  const routes = files.flatMap((file) =>
    [...textOf(file).matchAll(/\bcall\(\s*['`]([A-Z]+) ([^'`]+)['`]/g)].map(([, method, path]) => ({
      method: method!.toLowerCase(),
      // The playground names one of two schemas.
      path: path!.replace(/\$\{\w+\}/, 'write-intent'),
    })),
  );
  expect(routes.length).toBeGreaterThan(50);
  expect(routes.filter(({ method, path }) => paths[path]?.[method] === undefined)).toEqual([]);
});

test('no page says itself what a response holds', () => {
  // The second asks only whether anything responds.
  expect(files.filter((file) => /\bfetch\(/.test(textOf(file)))).toEqual(['api.ts', 'state/connection.ts']);
  expect(files.filter((file) => /\bcall</.test(textOf(file)))).toEqual(['api.ts']);
  const casts = files.filter((file) => /\bcall\([^;]*\) as /.test(textOf(file)));
  // What a policy document holds is the engine's to say.
  expect(casts).toEqual(['calls/policies.ts']);
});

test('a response lacks what the page needs if it lacks any member that the API always sends', () => {
  const command = join(SOURCE, '../required-members.ts');
  const members = JSON.parse(
    execFileSync(process.execPath, ['--conditions=writecheck-source', command], { encoding: 'utf8' }),
  );
  expect(members).toMatchObject({
    'GET /v1/reviews': { reviews: 'array' },
    'POST /v1/reviews': { review: 'object' },
    'POST /v1/keys': { key: 'object', secret: 'string' },
    'GET /v1/usage': { used: 'number', live: 'object' },
    'POST /v1/check-write': { decision: 'string', controlEvaluations: 'array' },
    'GET /v1/me': { workspace: 'object' },
  });
  // An empty bundle has no digest, an owner key is no person, and somebody without keys leaves none.
  expect(members['GET /v1/policies']).toEqual({ revision: 'number', documents: 'array' });
  expect(members['GET /v1/me']).not.toHaveProperty('person');
  expect(members).not.toHaveProperty('DELETE /v1/people/{id}');
});

test('a member that the API does not define does not compile', () => {
  async function neverRun(ask: typeof call): Promise<void> {
    const listed = await ask('GET /v1/keys');
    if (listed.kind === 'failure') return;
    for (const key of listed.value.keys) {
      key.name satisfies string;
      // @ts-expect-error: no key has an owner.
      key.owner;
    }
    // @ts-expect-error: there is no such route.
    await ask('GET /v1/owners');
    // @ts-expect-error: the path has a place to fill.
    await ask('DELETE /v1/keys/{id}');
    // @ts-expect-error: a key is not created with an owner.
    await ask('POST /v1/keys', { json: { kind: 'live', name: 'a', owner: 'b' } });
  }
  expect(neverRun).toBeTypeOf('function');
});
