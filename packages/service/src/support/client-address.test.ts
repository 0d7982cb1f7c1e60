import { expect, test } from 'vitest';
import { clientAddress, limitSubject } from './client-address.ts';
import { NO_PROXIES, proxies } from './config/parse-setting.ts';

const parsed = proxies('10.0.0.0/8, ::1');
const trusted = 'value' in parsed ? parsed.value : NO_PROXIES;

test('no caller chooses its address by a header unless the proxy is named', () => {
  expect(clientAddress('203.0.113.9', '1.2.3.4', NO_PROXIES)).toBe('203.0.113.9');
  expect(clientAddress('203.0.113.9', '1.2.3.4', trusted)).toBe('203.0.113.9');
});

test('behind trusted proxies, the last address not written by one of them counts', () => {
  expect(clientAddress('10.0.0.1', '1.2.3.4', trusted)).toBe('1.2.3.4');
  expect(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', trusted)).toBe('1.2.3.4');
  expect(clientAddress('::ffff:10.0.0.1', '1.2.3.4', trusted)).toBe('1.2.3.4');
  expect(clientAddress('10.0.0.1', 'nonsense', trusted)).toBe('10.0.0.1');
});

test('all addresses of an IPv6 /64 are one subject, and two /64 are two', () => {
  const one = limitSubject('2001:db8:1:2:3:4:5:6');
  expect(limitSubject('2001:db8:1:2::1')).toBe(one);
  expect(limitSubject('2001:0db8:0001:0002::')).toBe(one);
  expect(limitSubject('2001:db8:1:3::1')).not.toBe(one);
  expect(limitSubject('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(limitSubject('::1')).toBe('0:0:0:0::/64');
  expect(limitSubject('192.0.2.1')).toBe('192.0.2.1');
});
