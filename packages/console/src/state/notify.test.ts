import { beforeEach, expect, test, vi } from 'vitest';

const shown: string[] = [];
const page = { visibilityState: 'hidden' };
let asked = 0;

class FakeNotification {
  static permission = 'default';
  static async requestPermission() {
    asked += 1;
    FakeNotification.permission = 'granted';
    return 'granted';
  }
  constructor(title: string, { body }: { readonly body: string }) {
    shown.push(`${title}|${body}`);
  }
}

const kept = new Map<string, string>();

vi.stubGlobal('Notification', FakeNotification);
vi.stubGlobal('document', page);
vi.stubGlobal('localStorage', {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => kept.set(name, value),
  removeItem: (name: string) => kept.delete(name),
});
vi.stubGlobal('window', {
  Notification: FakeNotification,
  location: { hash: '', pathname: '/' },
  addEventListener() {},
});

const { notifying, notifyOfReviews, turnNotifications } = await import('./notify.ts');

beforeEach(() => {
  shown.length = 0;
  page.visibilityState = 'hidden';
});

test('nobody is asked, and nothing is shown, before a click', () => {
  expect(notifying.get()).toBe('unknown');
  notifyOfReviews(3);
  expect([asked, shown]).toEqual([0, []]);
});

test('after a click a hidden page tells how many wait, and nothing of them', async () => {
  await turnNotifications();
  expect(notifying.get()).toBe('on');
  notifyOfReviews(0);
  notifyOfReviews(1);
  notifyOfReviews(2);
  expect(shown).toEqual(['A write waits for you|Writecheck inbox', '2 writes wait for you|Writecheck inbox']);
});

test('a visible page stays silent, and a second click ends it', async () => {
  page.visibilityState = 'visible';
  notifyOfReviews(1);
  page.visibilityState = 'hidden';
  await turnNotifications();
  notifyOfReviews(1);
  expect([notifying.get(), shown, asked]).toEqual(['unknown', [], 1]);
});
