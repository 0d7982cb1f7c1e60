import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ConformanceCase, loadCases, signedIntent } from '../../../../conformance/case.ts';
import { statedPart } from '../../../../conformance/decide-case.ts';
import refused from '../../../../conformance/refused.json' with { type: 'json' };
import { check as checkCommand } from '../../../cli/src/check.ts';
import { ask, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { approveAsStated } from './approved-case.ts';

let nowMs = 0;
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs, settings: { signupsPerHour: '10000' } });
});
afterAll(() => service.stop());

/** Makes a separate workspace with the case's policies, and its attestations revoked or used as the case says. */
async function prepare(conformanceCase: ConformanceCase) {
  nowMs = Date.parse(conformanceCase.now);
  const { workspace, ownerKey, developmentKey } = await signUp(service, conformanceCase.name);
  const intent = await signedIntent(conformanceCase, workspace.id);
  const check = (path: string) => ask(`${service.url}${path}`, { key: developmentKey, json: intent });
  if (conformanceCase.policy.length > 0) {
    const documents = conformanceCase.policy;
    const applied = await ask(`${service.url}/v1/policies`, {
      key: ownerKey,
      method: 'PUT',
      json: { documents },
    });
    expect(applied.text, 'the bundle is applied').toContain('"revision":1');
  }
  for (const { item, claims, revoked, usedUp } of conformanceCase.attestations) {
    const items = conformanceCase.intent.controlEvidence as readonly { readonly source: string }[];
    const revocation = { source: items[item]!.source, jti: claims.jti };
    if (revoked) await ask(`${service.url}/v1/evidence/revocations`, { key: ownerKey, json: revocation });
    if (usedUp) expect((await check('/v1/check-write')).body.decision).toBe('allow');
  }
  await approveAsStated(service.store, workspace.id, conformanceCase);
  if (conformanceCase.reviews.some(({ usedUp }) => usedUp)) {
    expect((await check('/v1/check-write')).body.decision).toBe('allow');
  }
  return { intent, developmentKey, check };
}

/** What `writecheck check` prints. */
async function checkByCommand(intent: object, key: string): Promise<object> {
  const file = join(service.folder, 'intent.json');
  writeFileSync(file, JSON.stringify(intent));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await checkCommand(file, { url: service.url, key, json: true });
    return JSON.parse(String(written.mock.calls[0]![0]));
  } finally {
    written.mockRestore();
    process.exitCode = undefined;
  }
}

/** A second check would find a single-use attestation used up; an approval is always single-use. */
const servesOnce = ({ policy }: ConformanceCase) => JSON.stringify(policy).includes('"use":"once"');

/** A freeze over HTTP has its own id: see the tests of freezes. */
const isNotFrozen = ({ freezes }: ConformanceCase) => freezes.length === 0;

/** True for cases that only reviews over HTTP can test, which say who approved what: see the tests of reviews. */
const isOfUnnamedPeople = ({ reviews }: ConformanceCase) =>
  reviews.every(({ by, confirmsAuthority }) => by === undefined && confirmsAuthority === undefined);

describe('every case is decided as stated', () => {
  test.each(loadCases().filter(isOfUnnamedPeople).filter(isNotFrozen))('$name', async (conformanceCase) => {
    const { intent, developmentKey, check } = await prepare(conformanceCase);
    if (conformanceCase.reviews.length > 0) {
      expect(statedPart((await check('/v1/check-write')).body)).toEqual(conformanceCase.expect);
      return;
    }
    for (const path of ['/v1/check-write', '/api/v1/check-write']) {
      const { status, body } = await check(path);
      expect(status).toBe(200);
      expect(statedPart(body)).toEqual(conformanceCase.expect);
    }
    const stated = conformanceCase.expect as { readonly decision: string; readonly validUntil?: string };
    // An allow that ends at the moment of its decision has ended when it arrives.
    const ended = stated.validUntil !== undefined && Date.parse(stated.validUntil) <= nowMs;
    const byCommand = await checkByCommand(intent, developmentKey);
    if (ended) expect(byCommand).toMatchObject({ decision: 'block', origin: 'client' });
    else expect(statedPart(byCommand)).toEqual(stated);
    if (servesOnce(conformanceCase)) return;

    const client = createClient({ apiKey: developmentKey, baseUrl: service.url });
    const answer = await client.checkWrite(intent as unknown as Parameters<typeof client.checkWrite>[0]);
    expect(answer.decision).toBe(ended ? 'block' : stated.decision);
  });
});

test.each(refused)('$title', async ({ intent, code, details }) => {
  for (const path of ['/v1/check-write', '/api/v1/check-write']) {
    const { status, body } = await ask(`${service.url}${path}`, {
      key: service.developmentKey,
      json: intent,
    });
    expect({ status, error: body.error }).toMatchObject({ status: 422, error: { code, details } });
  }
});
