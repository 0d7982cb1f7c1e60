/** Screenshots of every page with real data: `node --conditions=writecheck-source packages/console/test/screenshots.ts FOLDER [PAGE...]`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../../service/test/ask.ts';
import { type Page, signIn, startBrowser, startTestService } from './harness.ts';
import { type SeedClock, seed } from './seed.ts';
import { seedSettings } from './seed-settings.ts';

const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
const [folder = 'screenshots', ...only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

// Before all that the seed makes, because the log's clock never goes back.
const clock: SeedClock = { nowMs: Date.now() - 10 * 86_400_000 };
let isSeeded = false;
const service = await startTestService({
  clock: () => (isSeeded ? Date.now() : clock.nowMs),
  settings: { webhookAllow: '127.0.0.1' },
});
await seed(service, clock);
isSeeded = true;
const stopReceiver = await seedSettings(service);
const browser = await startBrowser();
const { page } = await browser.open(service.url);
for (const [name, path, isSignedIn] of await places()) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (isSignedIn && (await page.getByRole('button', { name: 'Sign out' }).count()) === 0) {
    await page.setViewportSize(SIZES.wide);
    await signIn(page, service, '/decisions');
  }
  await page.goto(`${service.url}/#${path}`);
  await shoot(page, name);
}
await browser.close();
stopReceiver();
await service.stop();

async function places(): Promise<readonly (readonly [string, string, boolean])[]> {
  const first = async (query: string, find: (row: { objectRef: string }) => boolean = () => true) => {
    const { body } = await ask(`${service.url}/v1/decisions?limit=200&${query}`, { key: service.ownerKey });
    return `/decisions/${body.decisions.find(find)?.decision_id}`;
  };
  const { body } = await ask(`${service.url}/v1/reviews?state=open`, { key: service.ownerKey });
  const { body: keys } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  const agent = keys.keys.find(({ name }: { name: string }) => name === 'ap-bot');
  const payments = body.reviews.filter(
    ({ intent }: { intent: { system: string } }) => intent.system === 'payments',
  );
  const together = payments.map(({ id }: { id: string }) => id).slice(0, 3);
  const approved = await ask(`${service.url}/v1/reviews?state=approved`, { key: service.ownerKey });
  return [
    ['landing', '/', false],
    ['sign-in', '/sign-in', false],
    ['overview', '/overview', true],
    ['inbox', '/reviews', true],
    ['review', `/reviews/${body.reviews[0]?.id}`, true],
    ['review-last', `/reviews/${body.reviews.at(-1)?.id}`, true],
    ['review-approved', `/reviews/${approved.body.reviews[0]?.id}`, true],
    ['inbox-others', '/reviews?show=others', true],
    ['inbox-closed', '/reviews?show=closed', true],
    ['together', `/reviews/together?ids=${together.join(',')}`, true],
    ['paused', '/decisions?decision=pause&time=all', true],
    ['decisions', '/decisions', true],
    ['decisions-search', '/decisions?q=v-20&decision=block', true],
    ['decision-lookalike', await first('decision=block&system=erp'), true],
    ['decision-paused', await first('decision=pause&system=erp'), true],
    ['decision-allowed', await first('decision=allow&system=erp'), true],
    ['decision-refund', await first('decision=pause&system=payments'), true],
    ['decision-long', await first('decision=pause&system=crm&reason_code=authority_mismatch'), true],
    ['decision-unknown', `/decisions/dec_${'0'.repeat(32)}`, true],
    ['agents', '/agents', true],
    ['agent', `/agents/${agent?.id}`, true],
    ['freezes', '/freezes', true],
    ['limits', '/limits', true],
    ['policies', '/policies', true],
    ['map', '/policies/map', true],
    ['observe', '/observe', true],
    ['revisions', '/policies/revisions', true],
    ['playground', '/playground', true],
    ['audit', '/audit', true],
    ['sources', '/evidence-sources', true],
    ['keys', '/keys', true],
    ['people', '/people', true],
    ['webhooks', '/webhooks', true],
    ['usage', '/usage', true],
  ];
}

async function shoot(on: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await on.emulateMedia({ colorScheme: theme });
    for (const [size, viewport] of Object.entries(SIZES)) {
      await on.setViewportSize(viewport);
      await on.waitForTimeout(theme === 'light' && size === 'wide' ? 1_200 : 150);
      await on.screenshot({ path: join(folder, `${name}-${theme}-${size}.png`), fullPage: true });
    }
  }
  await on.setViewportSize(SIZES.wide);
}
