import { describe, expect, test } from 'vitest';
import { isKnownHost } from './known-host.ts';

const plain = { host: '127.0.0.1', publicUrl: null };
const named = { host: 'Checks.internal', publicUrl: 'https://Writecheck.example.com/console' };

describe('a page is served', () => {
  test.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:1',
    '127.0.0.1:8080',
    '[::1]:8080',
    '[::1]',
    '10.1.2.3:9000',
  ])('by address and as localhost, at any port: %s', (host) => {
    expect(isKnownHost(host, plain)).toBe(true);
  });
  test('under the names configured for the service', () => {
    expect(isKnownHost('checks.internal:8080', named)).toBe(true);
    expect(isKnownHost('writecheck.example.com', named)).toBe(true);
    expect(isKnownHost('WRITECHECK.example.com:443', named)).toBe(true);
  });
});

test.each([
  undefined,
  '',
  'evil.example:8080',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example#127.0.0.1',
  'user@localhost',
  'localhost, evil.example',
  '127.0.0.1:8080:80',
  '[::1',
  'writecheck.example.com',
])('no page is served under any other name: %s', (host) => {
  expect(isKnownHost(host, plain)).toBe(false);
});
