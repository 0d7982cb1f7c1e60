import type { EvidenceItem, WriteIntent } from '@writecheck/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allowFor, startHonestService } from '../../../conformance/client-kit/index.ts';
import type { GuardOptions } from './client-types.ts';
import { createClient } from './create-client.ts';
import type { FactsSource, NeededFacts } from './facts-types.ts';
import type { ClientOptions } from './settings.ts';

const intent: WriteIntent = {
  system: 'erp',
  objectType: 'invoice',
  objectRef: 'I-1',
  field: 'amount',
  agentValue: '10',
  controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
};
const NEEDED: NeededFacts = {
  controlId: 'invoice',
  acceptedSources: ['erp-reader'],
  maxAgeSeconds: 60,
  assurance: 'attested',
  bind: 'object',
  use: null,
};
const ITEM: EvidenceItem = {
  controlId: 'invoice',
  source: 'erp-reader',
  result: 'PASS',
  attestation: 'a.b.c',
};
const READER = { url: 'https://reader.example', token: 'a-token' };

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

/** A service that needs facts and allows, and a reader. `policyRef`, `status` and `needed` may change in between. */
function world(options: Partial<ClientOptions> = {}) {
  const state = {
    policyRef: 'sha256:1',
    needed: [NEEDED] as unknown,
    requirementsStatus: 200,
    readerStatus: 200,
    read: { controlEvidence: [ITEM] } as unknown,
  };
  const sent: Sent[] = [];
  const json = (body: unknown, status = 200) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const client = createClient({
    apiKey: 'wck_dev_x',
    baseUrl: 'https://writecheck.example',
    retries: 0,
    fetch: async (url, init) => {
      const body = JSON.parse(init.body!);
      sent.push({ url, headers: init.headers, body });
      if (url.startsWith('https://reader.example'))
        return json(
          state.readerStatus === 200 ? state.read : { error: { code: 'facts_unavailable', message: 'no' } },
          state.readerStatus,
        );
      if (url.endsWith('/v1/requirements')) {
        const answer = {
          requirements: [],
          authority: {},
          evaluated: {},
          remediation: [],
          facts: state.needed,
        };
        return json(answer, state.requirementsStatus);
      }
      const allow = (text: string) => ({
        ...allowFor(text, init.headers),
        profileProvenance: { policyRef: state.policyRef },
      });
      return url.endsWith('/batch')
        ? json({ results: body.checks.map((check: unknown) => allow(JSON.stringify(check))) })
        : json(allow(init.body!));
    },
    ...options,
  });
  const paths = () => sent.map(({ url }) => new URL(url).pathname);
  return { client, sent, state, paths };
}

describe('facts', () => {
  it('are requested by name before every check, and sent with the evidence of the intent', async () => {
    const source = vi.fn(async () => [ITEM]);
    const { client, sent, paths } = world({ facts: source });
    expect((await client.checkWrite(intent)).decision).toBe('allow');
    expect(source).toHaveBeenCalledExactlyOnceWith([NEEDED], intent);
    expect(paths()).toEqual(['/v1/requirements', '/v1/check-write']);
    expect(sent[1]!.body.controlEvidence).toEqual([intent.controlEvidence![0], ITEM]);
  });

  it('are needed as the requirements say, until a decision has another policy', async () => {
    const source = vi.fn(() => [ITEM]);
    const { client, state, paths } = world({ facts: source });
    await client.checkWrite(intent);
    await client.checkWrite({ ...intent, objectRef: 'I-2', agentValue: '11' });
    expect(paths().filter((path) => path === '/v1/requirements')).toHaveLength(1);
    await client.checkWrite({ ...intent, field: 'due' });
    expect(paths().filter((path) => path === '/v1/requirements')).toHaveLength(2);
    state.policyRef = 'sha256:2';
    await client.checkWrite(intent);
    await client.checkWrite(intent);
    expect(paths().filter((path) => path === '/v1/requirements')).toHaveLength(3);
    expect(source).toHaveBeenCalledTimes(5);
  });

  it('are not fetched if no rule reads any, or the service does not support them', async () => {
    const source = vi.fn(() => [ITEM]);
    const { client, state } = world({ facts: source });
    state.needed = [];
    expect((await client.checkWrite(intent)).decision).toBe('allow');
    state.needed = undefined;
    expect((await client.checkWrite({ ...intent, field: 'due' })).decision).toBe('allow');
    expect(source).not.toHaveBeenCalled();
  });

  it('of one call replace those of the client', async () => {
    const own = vi.fn(() => []);
    const { client, sent } = world({ facts: own });
    await client.checkWrite(intent, { facts: () => [ITEM] });
    expect(own).not.toHaveBeenCalled();
    expect(sent.at(-1)!.body.controlEvidence).toContainEqual(ITEM);
  });

  it('cannot change the intent', async () => {
    const { client, sent } = world({
      facts: (_, given) => {
        (given as { agentValue: string }).agentValue = 'other';
        return [ITEM];
      },
    });
    await client.checkWrite(intent);
    expect(sent.at(-1)!.body.agentValue).toBe('10');
  });

  it.each<[string, FactsSource]>([
    ['throw', () => Promise.reject(new Error('a secret'))],
    [
      'throw immediately',
      () => {
        throw new Error('a secret');
      },
    ],
    ['are not a list', () => ITEM as never],
    ['are not items', () => ['x'] as never],
    ['are not JSON', () => [{ ...ITEM, extra: 1n } as never]],
    ['look like an outage', () => ({ kind: 'unanswered', cause: { kind: 'timeout', message: '' } }) as never],
    ['are nothing', () => undefined as never],
    ['come from a reader that cannot be asked', { url: 'ftp://x', token: 'x' }],
  ])('that %s stop the write, unprotected or not', async (_, facts) => {
    const { client, paths } = world();
    const write = vi.fn();
    const outcome = await client.guardWrite(intent, write, { facts, unprotected: true } as GuardOptions);
    expect(outcome).toMatchObject({
      executed: false,
      decision: { decision: 'block', cause: { kind: 'facts' } },
    });
    expect(JSON.stringify(outcome)).not.toContain('a secret');
    expect(write).not.toHaveBeenCalled();
    expect(paths()).toEqual(['/v1/requirements']);
  });

  it('are an outage of the service if it is down and their needs are unknown', async () => {
    const { client, state } = world({ facts: () => [ITEM] });
    state.requirementsStatus = 503;
    expect(await client.checkWrite(intent)).toMatchObject({ cause: { kind: 'service_failed' } });
    state.requirementsStatus = 403;
    const outcome = await client.guardWrite(intent, () => 1, { unprotected: true });
    expect(outcome).toMatchObject({ executed: false, decision: { cause: { kind: 'refused' } } });
  });

  it('that take too long end with the caller', async () => {
    const { client } = world({ facts: () => new Promise(() => {}) });
    const stop = new AbortController();
    const deciding = client.checkWrite(intent, { signal: stop.signal });
    stop.abort();
    expect(await deciding).toMatchObject({ decision: 'block', cause: { kind: 'aborted' } });
  });

  it('that never come stop the write once the time of the client is over', async () => {
    const { client, paths } = world({ facts: () => new Promise(() => {}), timeoutMs: 5 });
    const write = vi.fn();
    // Time stands still until the facts are requested, however slow the machine is.
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const writing = client.guardWrite(intent, write, { unprotected: true });
    await vi.advanceTimersByTimeAsync(5);
    const outcome = await writing;
    expect(outcome).toMatchObject({
      executed: false,
      decision: { cause: { kind: 'facts', message: '`facts` took longer than 5 ms' } },
    });
    expect(write).not.toHaveBeenCalled();
    expect(paths()).toEqual(['/v1/requirements']);
  });

  it('are part of a requirements request; without them there is no response', async () => {
    const { client, sent, paths } = world({ facts: () => [ITEM] });
    expect((await client.requirements(intent)).kind).toBe('requirements');
    expect(paths()).toEqual(['/v1/requirements', '/v1/requirements']);
    expect(sent[1]!.body.controlEvidence).toEqual([intent.controlEvidence![0], ITEM]);
    await client.requirements(intent, { facts: () => [] });
    expect(sent[2]!.body.controlEvidence).toEqual(intent.controlEvidence);
    const failing = await client.requirements(intent, { facts: () => Promise.reject(new Error('no')) });
    expect(failing).toMatchObject({ kind: 'unanswered', cause: { kind: 'facts' } });
    expect(await client.requirements(undefined as never)).toMatchObject({
      cause: { kind: 'invalid_intent' },
    });
  });

  it('are fetched again for the check after an approval', async () => {
    const service = await startHonestService();
    const source = vi.fn(() => [{ ...ITEM, evidenceRef: `read ${source.mock.calls.length}` }]);
    const bodies: string[] = [];
    const client = createClient({
      apiKey: 'wck_dev_x',
      baseUrl: service.baseUrl,
      facts: source,
      fetch: async (url, init) => {
        if (!url.endsWith('/v1/requirements')) {
          if (url.endsWith('/check-write')) bodies.push(init.body!);
          return fetch(url, init);
        }
        const answer = { requirements: [], authority: {}, evaluated: {}, remediation: [], facts: [NEEDED] };
        return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
      },
    });
    const guarding = client.guardWrite(intent, () => 'done', { review: { waitMs: 10_000 } });
    await expect.poll(() => service.reviews.length).toBe(1);
    service.resolve(service.reviews[0]!.id, 'approved');
    expect(await guarding).toMatchObject({ executed: true, result: 'done' });
    expect(bodies.map((body) => /read \d/.exec(body)?.[0])).toEqual(['read 1', 'read 2']);
    await service.close();
  });
});

describe('a facts reader', () => {
  it('gets the needed controls and its token, but not the evidence', async () => {
    const { client, sent } = world({ facts: READER });
    await client.checkWrite(intent);
    const { url, headers, body } = sent[1]!;
    expect(url).toBe('https://reader.example/facts?controls=invoice');
    expect(headers.authorization).toBe('Bearer a-token');
    const { controlEvidence: _, ...asked } = intent;
    expect(body).toEqual(asked);
    expect(sent[2]!.body.controlEvidence).toEqual([intent.controlEvidence![0], ITEM]);
    const named = world({ facts: { ...READER, url: 'https://reader.example/erp/facts' } });
    await named.client.checkWrite(intent);
    expect(named.paths()[1]).toBe('/erp/facts');
  });

  it.each([401, 403, 404, 422, 424, 503])('that responds with %i stops the write', async (status) => {
    const { client, state } = world({ facts: READER });
    state.readerStatus = status;
    const outcome = await client.guardWrite(intent, () => 1, { unprotected: true });
    expect(outcome).toMatchObject({
      executed: false,
      decision: { cause: { kind: 'facts', status, code: 'facts_unavailable' } },
    });
  });

  it.each([[{}], [{ controlEvidence: 'x' }], [{ controlEvidence: [1] }], [[]]])(
    'that returns %j stops the write',
    async (read) => {
      const { client, state } = world({ facts: READER });
      state.read = read;
      expect(await client.checkWrite(intent)).toMatchObject({ cause: { kind: 'facts' } });
    },
  );

  it.each([
    { url: 'ftp://reader', token: 'x' },
    { url: 'https://reader?x=1', token: 'x' },
    { url: 'https://reader', token: '' },
    { url: 'https://reader' },
  ])('that cannot be used is refused when the client is created: %j', (facts) => {
    expect(() => world({ facts: facts as never })).toThrow(TypeError);
  });
});
