import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FetchInit } from './platform.ts';
import { readSettings } from './settings.ts';

const apiKey = 'wck_dev_canary';
const baseUrl = 'https://writecheck.example';

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});

afterEach(() => {
  warn.mockClear();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('settings', () => {
  it('wait two seconds and retry three times by default', () => {
    expect(readSettings({ apiKey, baseUrl })).toMatchObject({ apiKey, baseUrl, timeoutMs: 2000, retries: 3 });
    expect(readSettings({ apiKey, baseUrl, timeoutMs: 5, retries: 0 })).toMatchObject({
      timeoutMs: 5,
      retries: 0,
    });
  });

  it('come from the environment if they are not given', () => {
    vi.stubEnv('WRITECHECK_API_KEY', 'wck_dev_env');
    vi.stubEnv('WRITECHECK_URL', 'http://127.0.0.1:8080');
    expect(readSettings({})).toMatchObject({ apiKey: 'wck_dev_env', baseUrl: 'http://127.0.0.1:8080' });
    expect(readSettings({ apiKey, baseUrl })).toMatchObject({ apiKey, baseUrl });
  });

  it('are refused by name if they are missing, with or without an environment', () => {
    vi.stubEnv('WRITECHECK_API_KEY', '');
    vi.stubEnv('WRITECHECK_URL', '');
    const noKey = 'no API key: give `apiKey` or set WRITECHECK_API_KEY';
    const noUrl = 'no address of the service: give `baseUrl` or set WRITECHECK_URL';
    expect(() => readSettings({ baseUrl })).toThrow(new TypeError(noKey));
    expect(() => readSettings({ apiKey })).toThrow(new TypeError(noUrl));
    vi.stubGlobal('process', undefined);
    expect(() => readSettings({ baseUrl })).toThrow(noKey);
    vi.stubGlobal('process', {});
    expect(() => readSettings({ apiKey })).toThrow(noUrl);
    vi.stubGlobal('process', {
      get env() {
        throw new Error('not permitted');
      },
    });
    expect(() => readSettings({ apiKey })).toThrow(noUrl);
  });

  it.each(['wck dev', 'wck_dev\n', 'schlüssel', '\0'])('refuse the key %j without repeating it', (bad) => {
    expect(() => readSettings({ apiKey: bad, baseUrl })).toThrow(
      new TypeError('`apiKey` must be visible ASCII without spaces'),
    );
  });

  it.each(['writecheck', '', 'ftp://x', 'file:///etc', 'javascript:alert(1)', '/v1'])(
    'refuse the address %j',
    (bad) => {
      vi.stubEnv('WRITECHECK_URL', '');
      expect(() => readSettings({ apiKey, baseUrl: bad })).toThrow(
        new TypeError(
          bad === ''
            ? 'no address of the service: give `baseUrl` or set WRITECHECK_URL'
            : '`baseUrl` must be an http or https address',
        ),
      );
    },
  );

  it.each(['https://user@x', 'https://:secret@x', 'https://x?a=1', 'https://x#a'])(
    'refuse the address %s',
    (bad) => {
      expect(() => readSettings({ apiKey, baseUrl: bad })).toThrow(
        new TypeError('`baseUrl` must not contain credentials, a query or a fragment'),
      );
    },
  );

  it.each([
    ['https://x', 'https://x'],
    ['https://x/', 'https://x'],
    ['http://x:81/api//', 'http://x:81/api'],
  ])('read %s as %s', (given, taken) => {
    expect(readSettings({ apiKey, baseUrl: given }).baseUrl).toBe(taken);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('refuse a timeout of %s', (timeoutMs) => {
    expect(() => readSettings({ apiKey, baseUrl, timeoutMs })).toThrow(
      new TypeError('`timeoutMs` must be a number above 0 and at most 2147483647'),
    );
  });

  it('refuse a timeout as text, which would end immediately or hours later', () => {
    expect(() => readSettings({ apiKey, baseUrl, timeoutMs: '2000' as never })).toThrow(TypeError);
  });

  it('accept the longest timeout that a timer supports', () => {
    expect(readSettings({ apiKey, baseUrl, timeoutMs: 2 ** 31 - 1 }).timeoutMs).toBe(2 ** 31 - 1);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuse %s retries', (retries) => {
    expect(() => readSettings({ apiKey, baseUrl, retries })).toThrow(
      new TypeError('`retries` must be a whole number from 0'),
    );
  });

  it('warn once of plain http to another host, without the key', () => {
    for (const url of ['http://writecheck.internal:81/api', 'http://writecheck.internal:81'])
      readSettings({ apiKey, baseUrl: url });
    readSettings({ apiKey, baseUrl: 'http://127.0.0.1.example' });
    expect(warn.mock.calls).toEqual([
      [
        'writecheck: http://writecheck.internal:81 is not encrypted: others can read the key and forge decisions; use https',
      ],
      [expect.stringContaining('http://127.0.0.1.example is not encrypted')],
    ]);
  });

  it.each([
    'https://writecheck.internal',
    'http://localhost:8080',
    'http://app.localhost',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://[::1]:8080',
  ])('do not warn of %s', (url) => {
    readSettings({ apiKey, baseUrl: url });
    expect(warn).not.toHaveBeenCalled();
  });

  it('use the fetch at the time of the call, so that a fetch installed later is used', async () => {
    const { fetch } = readSettings({ apiKey, baseUrl });
    const late = new Response('late');
    const replaced = vi.fn(async () => late);
    vi.stubGlobal('fetch', replaced);
    const { signal } = new AbortController();
    const init: FetchInit = { method: 'POST', headers: {}, redirect: 'manual', signal };
    expect(await fetch('http://x', init)).toBe(late);
    expect(replaced).toHaveBeenCalledWith('http://x', init);
  });
});
