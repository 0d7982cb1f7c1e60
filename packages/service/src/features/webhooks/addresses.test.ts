/** Webhooks reach public addresses only: every special range, whatever wraps it, and names that change. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../../scripts/free-port.ts';
import { type AllowedTargets, allowedTargets, NO_TARGETS } from '../../support/config/allowed-targets.ts';
import { isGloballyReachable } from './addresses.ts';
import { faultOfUrl } from './check-url.ts';
import { type Resolve, webhookAgent } from './connect.ts';
import { sendThrough } from './send.ts';

/** Addresses from the registries of special-purpose addresses, with the edges of the ranges. */
const NOT_REACHABLE_V4 = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.1', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.1', '192.0.0.8', '192.0.0.170', '192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.1', '254.255.255.255', '255.255.255.255'],
];
const REACHABLE_V4 = [
  ...[
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255'],
];
const NOT_REACHABLE_V6 = [
  ...['::', '::1', '::7f00:1', '::2', '100::1', '100:0:0:1::1', 'fc00::1', 'fdff::1', 'fe80::1', 'febf::1'],
  ...['fec0::1', 'ff02::1', 'ff0e::1', '2001::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001:30::1'],
  ...[
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '64:ff9b:1::1',
    '::ffff:0:7f00:1',
    '4000::1',
    '8000::1',
    'e000::1',
  ],
];
const REACHABLE_V6 = ['2606:4700:4700::1111', '2a00:1450:4001::1', '2400::1', '3ffe::1'];

const hexOf = (v4: string): string =>
  v4
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{4})/, '$1:');

/** All the forms in which an IPv6 address contains an IPv4 address. */
const WRAPPED: readonly [string, (v4: string) => string][] = [
  ['mapped', (v4) => `::ffff:${v4}`],
  ['mapped in hex', (v4) => `::ffff:${hexOf(v4)}`],
  ['NAT64', (v4) => `64:ff9b::${hexOf(v4)}`],
  ['6to4', (v4) => `2002:${hexOf(v4)}::1`],
];

describe('an address', () => {
  test.each([...NOT_REACHABLE_V4, ...NOT_REACHABLE_V6, 'localhost', '', '1.2.3', '0x7f.1'])(
    '%s is not reachable',
    (address) => expect(isGloballyReachable(address)).toBe(false),
  );
  test.each([...REACHABLE_V4, ...REACHABLE_V6])('%s is reachable', (address) =>
    expect(isGloballyReachable(address)).toBe(true),
  );
  test.each(WRAPPED)('%s is judged by the address it contains', (_, wrap) => {
    for (const v4 of NOT_REACHABLE_V4) expect([v4, isGloballyReachable(wrap(v4))]).toEqual([v4, false]);
    for (const v4 of REACHABLE_V4) expect([v4, isGloballyReachable(wrap(v4))]).toEqual([v4, true]);
  });
});

const allow = (...entries: string[]) => allowedTargets(entries) as AllowedTargets;

describe('a URL, when it is set', () => {
  test.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'https://user@hooks.example.com/',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https:///hooks.example.com',
    'https:\\\\hooks.example.com',
    'https://\\hooks.example.com',
    'https://@hooks.example.com/',
    'https://:@hooks.example.com/',
    'https://hooks.example.com:0/',
    'https://user:pass@hooks.example.com/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://hooks.example.com/ x',
    'https://hooks.example.com/\n',
    `https://hooks.example.com/${'x'.repeat(2_048)}`,
    'hooks.example.com',
    '',
  ])('%s is refused', (url) => expect(faultOfUrl(url, NO_TARGETS)).not.toBeNull());

  test.each([
    'https://hooks.example.com/a?b=c',
    'https://1.1.1.1/',
    'https://localhost/',
    'https://HOOKS.example.com:8443/',
  ])('%s is accepted: the address behind a name is checked at every connection', (url) =>
    expect(faultOfUrl(url, NO_TARGETS)).toBeNull(),
  );

  test('only targets that the operator allows may use http or a private address', () => {
    const allowed = allow('Hooks.internal', '10.1.0.0/16', '::1');
    for (const url of ['http://hooks.internal/', 'http://10.1.2.3/', 'https://10.1.2.3/', 'http://[::1]/'])
      expect([url, faultOfUrl(url, allowed)]).toEqual([url, null]);
    for (const url of ['http://10.2.0.1/', 'https://10.2.0.1/', 'http://a:b@hooks.internal/'])
      expect(faultOfUrl(url, allowed)).not.toBeNull();
    // A range allows http to its addresses, and to names that can only mean those.
    for (const url of ['http://other.internal/', 'http://example.com/', 'http://localhost.example.com/'])
      expect([url, faultOfUrl(url, allowed)]).toEqual([url, expect.stringContaining('https')]);
    for (const url of ['http://localhost:8080/', 'http://a.localhost/'])
      expect([url, faultOfUrl(url, allowed)]).toEqual([url, null]);
    expect(faultOfUrl('http://localhost/', allow('10.1.0.0/16'))).not.toBeNull();
  });

  test('an entry that is neither a host nor a range is reported', () => {
    expect(allowedTargets(['10.0.0.0/33', 'a b', 'ok', '10.0.0.0/8/8', 'https://x/', '::/129'])).toEqual([
      '10.0.0.0/33',
      'a b',
      '10.0.0.0/8/8',
      'https://x/',
      '::/129',
    ]);
  });
});

describe('a connection', () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  let port = 0;
  beforeAll(async () => {
    // Another server listens on the same port at another address.
    port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const send = async (url: string, allowed: AllowedTargets, resolve?: Resolve) => {
    const agent = webhookAgent(allowed, resolve);
    const attempt = await sendThrough(agent, 5_000)({ url, headers: {}, body: '{}' }, 0);
    await agent.destroy();
    return attempt;
  };

  test('goes to the address that was checked: a name that changes its address reaches nothing', async () => {
    let judged = 0;
    const allowedServer = createServer((_, response) => {
      judged += 1;
      response.writeHead(200, { connection: 'close' }).end();
    });
    allowedServer.listen(port, '127.0.0.2');
    await once(allowedServer, 'listening');
    // It returns an allowed address to the first query, and another address to the second.
    let asked = 0;
    const rebinding: Resolve = async () => [asked++ === 0 ? '127.0.0.2' : '127.0.0.1'];
    const before = requests;
    const agent = webhookAgent(allow('127.0.0.2'), rebinding);
    const to = sendThrough(agent, 5_000);
    const message = { url: `http://rebinding.example:${port}/`, headers: {}, body: '{}' };
    expect(await to(message, 0)).toMatchObject({ isDelivered: true });
    expect([judged, asked]).toEqual([1, 1]);
    expect(await to(message, 0)).toMatchObject({ isDelivered: false, failure: 'address' });
    expect([judged, requests - before]).toEqual([1, 0]);
    await agent.destroy();
    allowedServer.close();
  });

  test('is refused for a name or an address that is private', async () => {
    const before = requests;
    for (const host of ['internal.example', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
      expect(
        await send(`https://${host}:${port}/`, NO_TARGETS, async () => ['127.0.0.1', '::1']),
      ).toMatchObject({ failure: 'address' });
    expect(requests).toBe(before);
  });

  test('over http goes only to what the operator allows, whatever a name says', async () => {
    const url = `http://hooks.example:${port}/`;
    const here: Resolve = async () => ['127.0.0.1'];
    expect(await send(url, allow('hooks.example'), here)).toMatchObject({ isDelivered: true, status: 200 });
    expect(await send(url, allow('127.0.0.0/8'), here)).toMatchObject({ isDelivered: true });
    expect(await send(url, allow('10.0.0.0/8'), here)).toMatchObject({ failure: 'address' });
    expect(await send(url, allow('10.0.0.0/8'), async () => ['1.1.1.1'])).toMatchObject({
      failure: 'address',
    });
    // The public address is skipped, and the allowed one is used.
    expect(await send(url, allow('127.0.0.1'), async () => ['1.1.1.1', '127.0.0.1'])).toMatchObject({
      isDelivered: true,
    });
  });

  test('ignores a proxy in the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' });
    try {
      expect(await send(`http://127.0.0.1:${port}/`, allow('127.0.0.1'))).toMatchObject({
        isDelivered: true,
      });
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
      Object.assign(process.env, before);
    }
  });
});
