/** Does five people's daily tasks by clicks alone, and counts them: `node --conditions=writecheck-source packages/console/test/tasks.ts`. */
import { invite } from '../../service/test/sign-in-kit.ts';
import { addAuthenticator, type Page, signIn, startBrowser, startTestService } from './harness.ts';
import { type SeedClock, seed } from './seed.ts';

type Locator = ReturnType<Page['locator']>;

/** A hand that counts what it does. */
interface Hand {
  readonly page: Page;
  click(on: Locator): Promise<void>;
  type(text: string, into: Locator): Promise<void>;
  /** Waits until a person could read it. */
  see(what: Locator): Promise<void>;
}

interface Task {
  readonly who: string;
  readonly what: string;
  readonly act: (hand: Hand) => Promise<void>;
  /** Prepares the tab; not counted. */
  readonly before: (page: Page) => Promise<void>;
}

const clock: SeedClock = { nowMs: 0 };
let isSeeded = false;
const service = await startTestService({ clock: () => (isSeeded ? Date.now() : clock.nowMs || Date.now()) });
await seed(service, clock);
isSeeded = true;
const fresh = await startTestService();
const browser = await startBrowser();
try {
  for (const task of tasks()) console.log(await timed(task));
} finally {
  await browser.close();
  await Promise.all([service.stop(), fresh.stop()]);
}

async function timed({ who, what, act, before }: Task): Promise<string> {
  const { page } = await browser.open('about:blank');
  await before(page);
  let [clicks, fields, pages] = [0, 0, 0];
  page.on('framenavigated', () => {
    pages += 1;
  });
  const startedMs = Date.now();
  let result = 'done';
  try {
    await act({
      page,
      async click(on) {
        clicks += 1;
        await on.click();
      },
      async type(text, into) {
        fields += 1;
        await into.fill(text);
      },
      see: (seen) => seen.first().waitFor(),
    });
  } catch (error) {
    result = `NOT DONE: ${String(error).split('\n')[0]} at ${page.url()}`;
    process.exitCode = 1;
  }
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  await page.close();
  return `${who}: ${what}: ${clicks} clicks, ${fields} fields, ${pages} pages, ${seconds} s: ${result}`;
}

function tasks(): readonly Task[] {
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
  return [
    {
      who: 'newcomer',
      what: 'from the printed owner key to a first approved write',
      before: async (page) => void (await page.goto(fresh.url)),
      async act({ page, click, type, see }) {
        await click(link(page, 'Sign in with the owner key'));
        await type(fresh.ownerKey, page.getByLabel('Owner key'));
        await click(button(page, 'Sign in'));
        await click(link(page, 'Policies').first());
        await click(button(page, 'Apply'));
        await see(page.getByText('Revision 1 is live since'));
        await click(link(page, 'Playground'));
        await page.getByLabel('Start from').selectOption({ label: 'An action instead of a field' });
        await click(button(page, 'Create a development key'));
        await click(button(page, 'Send to the service'));
        await click(link(page, /dec_/).first());
        await click(button(page, 'Open a review'));
        await click(button(page, 'Approve …'));
        await click(page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }));
        await see(page.getByText('The agent can make this write once'));
      },
    },
    {
      who: 'newcomer',
      what: 'find out why invoice INV-2026-90685 was paused and who may approve it',
      before: (page) => signIn(page, service, '/overview'),
      async act({ page, click, type, see }) {
        await click(link(page, 'Decisions'));
        await type('inv-2026-90685', page.getByLabel('Search'));
        await page.waitForFunction(() => document.querySelectorAll('.decisions tbody tr').length === 1);
        await click(link(page, /Change the IBAN of/).first());
        await see(page.getByText('is missing'));
        await see(page.getByText('A review decides this write.'));
        await see(page.getByText(/Anyone who may review|Members of|Any reviewer/));
      },
    },
    {
      who: 'reviewer',
      what: 'approve three refunds with one passkey',
      async before(page) {
        await addAuthenticator(page);
        const { url } = await invite(service, {
          name: 'Rita',
          email: 'rita@example.com',
          roles: ['reviewer'],
        });
        await page.goto(url);
        await button(page, 'Create a passkey').click();
        await button(page, 'Sign out').click();
      },
      async act({ page, click, see }) {
        await click(button(page, 'Use a passkey'));
        await click(link(page, /^Inbox/).first());
        const boxes = page.getByRole('checkbox', { name: /^Select refund/ });
        for (let at = 0; at < 3; at += 1) await click(boxes.nth(at));
        await click(link(page, 'Review them together'));
        await click(button(page, 'Approve 3 …'));
        await click(page.getByRole('dialog').getByRole('button', { name: /^(Sign and a|A)pprove 3$/ }));
        await see(page.getByText('3 writes approved.'));
      },
    },
    {
      who: 'author',
      what: 'let refunds over 100 need an approval, see what that stops, apply it with a reason',
      before: (page) => signIn(page, service, '/overview'),
      async act({ page, click, type, see }) {
        await click(link(page, 'Policies'));
        await click(button(page, 'refunds'));
        const editor = page.locator('textarea');
        await type((await editor.inputValue()).replace('500.0', '100.0'), editor);
        await click(button(page, 'Try it on the last 30 days'));
        await see(page.getByText('Newly stopped'));
        await click(button(page, 'Apply'));
        // Another condition may apply to fewer writes too, so the page asks.
        await type('small refunds were abused', page.getByLabel('Reason (required)'));
        await click(button(page, 'Apply anyway'));
        await see(page.getByText('is live since'));
        await click(link(page, 'Revisions'));
        await see(page.getByText('small refunds were abused'));
      },
    },
    {
      who: 'auditor',
      what: 'prove that a decision of last week is in today’s log, and take the proof along',
      before: (page) => signIn(page, service, '/overview'),
      async act({ page, click, type, see }) {
        await click(link(page, 'Decisions'));
        await page.getByRole('combobox', { name: 'Time' }).selectOption('30d');
        await type('V-2010', page.getByLabel('Search'));
        await click(link(page, /vendor V-2010/).last());
        await see(page.getByText('still in today’s log'));
        const file = page.waitForEvent('download');
        await click(button(page, 'Download evidence pack'));
        await file;
      },
    },
    {
      who: 'operator',
      what: 'find the agent whose pauses rise, and rotate its key',
      before: (page) => signIn(page, service, '/overview'),
      async act({ page, click, see }) {
        const rising = page.locator('.attention li', { hasText: 'More pauses' }).getByRole('link').first();
        const name = await rising.textContent();
        await click(rising);
        await see(page.getByRole('heading', { name: 'Why writes were stopped' }));
        await click(link(page, 'Rotate or revoke its key'));
        await click(button(page, `Rotate ${name}`));
        await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
        await see(page.getByText(/wck_live_\w{20}/));
      },
    },
  ];
}
