/** The client in a real browser: it fails closed, and pages from other origins cannot use a key. */
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFailClosedKit, SCENARIOS } from '../../../conformance/client-kit/index.ts';
import type * as clientModule from '../../client/src/index.ts';
import type * as receiptModule from '../../client/src/receipt.ts';
import { type Page, startBrowser, startTestService, type TestBrowser, type TestService } from './harness.ts';

/** Globals of a page that loaded the bundle. */
declare const writecheck: typeof clientModule & typeof receiptModule;
declare let writes: number;

const INTENT = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'ada@example.org',
  requiredControls: ['identity'],
  controlEvidence: [{ controlId: 'identity', source: 'sso', result: 'PASS' }],
};

let bundle = '';
let site: Server;
let siteUrl = '';
beforeAll(async () => {
  const entry = ['index', 'receipt'].map((name) => `export * from './src/${name}.ts';`).join('');
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: join(import.meta.dirname, '../../client') },
    bundle: true,
    minify: true,
    write: false,
    platform: 'neutral',
    target: 'es2022',
    format: 'iife',
    globalName: 'writecheck',
    conditions: ['writecheck-source'],
  });
  bundle = outputFiles[0]!.text;
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>a page</title><script>globalThis.writes = 0; ${bundle}</script>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', () => resolve()));
  siteUrl = `http://127.0.0.1:${(site.address() as { readonly port: number }).port}/`;
});
afterAll(() => site.close());

/** Calls the client in the page and counts how often the write ran. */
const guardIn = (page: Page, setting: { baseUrl: string; apiKey: string; timeoutMs: number }) =>
  page.evaluate(
    async ({ setting, intent }) => {
      let ran = 0;
      const outcome = await writecheck.createClient(setting).guardWrite(intent, () => {
        ran += 1;
        writes += 1;
      });
      const { decision } = outcome;
      const cause = writecheck.isLocalDecision(decision) ? decision.cause.kind : null;
      return { ran, executed: outcome.executed, decision: decision.decision, cause };
    },
    { setting, intent: INTENT },
  );

describe('a page that can reach every origin', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    // The scenarios answer no preflight, so the browser would stop them before they test the client.
    browser = await startBrowser({ withConsole: false, flags: ['--disable-web-security'] });
    return () => browser.close();
  }, 60_000);

  it('writes on a valid allow and on no other response of a hostile server', {
    tags: ['nightly'],
    timeout: 60_000,
  }, async () => {
    const { page } = await browser.open(siteUrl);
    const scenarios = SCENARIOS.filter(({ name }) => !/ after \d+ bytes$/.test(name));
    const report = await runFailClosedKit(
      (setting) => async (write) => {
        const { ran } = await guardIn(page, setting);
        for (let i = 0; i < ran; i += 1) await write();
      },
      { scenarios, concurrency: 48 },
    );
    expect(report.failures).toEqual([]);
    expect(report.results.length).toBeGreaterThan(120);
    const executed = report.results.filter(({ writes }) => writes === 1);
    expect(executed).toHaveLength(12);
    // No write ran after its call had returned.
    expect(await page.evaluate(() => writes)).toBe(12);
  });
});

describe('a page and the real service', () => {
  let browser: TestBrowser;
  let service: TestService;
  beforeAll(async () => {
    [browser, service] = await Promise.all([startBrowser({ withConsole: false }), startTestService()]);
    return async () => {
      await browser.close();
      await service.stop();
    };
  }, 60_000);
  const setting = () => ({ baseUrl: service.url, apiKey: service.developmentKey, timeoutMs: 5000 });
  const decisions = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${service.ownerKey}` };
    const listed = await fetch(`${service.url}/v1/decisions`, { headers });
    return ((await listed.json()) as { decisions: unknown[] }).decisions.length;
  };

  it('from another origin gets no decision and writes nothing, whatever key it holds', async () => {
    const { page, complaints } = await browser.open(siteUrl);
    expect(await guardIn(page, setting())).toEqual({
      ran: 0,
      executed: false,
      decision: 'block',
      cause: 'connection_failed',
    });
    expect(complaints.splice(0)[0]).toContain('blocked by CORS policy');
    expect(await decisions()).toBe(0);
    const preflight = await fetch(`${service.url}/v1/check-write`, {
      method: 'OPTIONS',
      headers: { origin: new URL(siteUrl).origin, 'access-control-request-method': 'POST' },
    });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('from the service’s origin gets an allow, writes and verifies the receipt', async () => {
    const { page } = await browser.open(siteUrl);
    await page.route(`${service.url}/page`, async (route) =>
      route.fulfill({ contentType: 'text/html', body: await (await fetch(siteUrl)).text() }),
    );
    await page.goto(`${service.url}/page`);
    expect(await guardIn(page, setting())).toMatchObject({ ran: 1, executed: true, decision: 'allow' });
    const verdict = await page.evaluate(
      async ({ setting, intent, workspace }) => {
        const { createClient, verifyReceipt } = writecheck;
        const { decision_id: id } = await createClient(setting).checkWrite(intent);
        const authorization = `Bearer ${setting.apiKey}`;
        const receipt = await (
          await fetch(`/v1/decisions/${id}/receipt`, { headers: { authorization } })
        ).json();
        const keys = await (await fetch('/v1/audit/key')).text();
        const question = { receipt, intent, keys, workspace, now: Date.now(), acceptDevelopment: true };
        const other = await verifyReceipt({ ...question, intent: { ...intent, objectRef: 'c-2' } });
        return [(await verifyReceipt(question)).ok, other.ok ? 'accepted' : other.reason];
      },
      { setting: setting(), intent: INTENT, workspace: service.workspace },
    );
    expect(verdict).toEqual([true, 'intent_mismatch']);
    expect(await decisions()).toBe(2);
  });
});
