import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDatabaseUrl } from './database-url.ts';

const hosts = (url: string) => {
  const read = readDatabaseUrl(url);
  if ('fault' in read) throw new Error(read.fault);
  return read.hosts;
};
const fault = (url: string) => {
  const read = readDatabaseUrl(url);
  return 'fault' in read ? read.fault : null;
};

test('a URL with one host stays as it is', () => {
  for (const url of [
    'postgres://u:p%40ss@db:5432/writecheck',
    'postgresql://db/writecheck?application_name=a%20b&options=-c%20x%3Dy',
    'postgres://u@[::1]:5433/w',
    'postgres://u@/w?host=/var/run/postgresql',
    'postgres:///w',
  ])
    expect(hosts(url)).toEqual([{ url, tls: false }]);
});

test('several hosts are tried in their order, each with everything else of the URL', () => {
  expect(
    hosts('postgres://u:p@a:1,b,[::1]:3/w?target_session_attrs=read-write&application_name=x').map(
      ({ url }) => url,
    ),
  ).toEqual([
    'postgres://u:p@a:1/w?application_name=x',
    'postgres://u:p@b/w?application_name=x',
    'postgres://u:p@[::1]:3/w?application_name=x',
  ]);
});

test('a URL of a server without writes, or of none, is refused', () => {
  expect(fault('postgres://a,b/w?target_session_attrs=standby')).toContain('takes no writes');
  for (const url of ['mysql://a/w', 'postgres://a:b:c/w', 'postgres://a:1,b:x/w', 'a/w', ''])
    expect(fault(url), url).toContain('must be a URL such as');
});

test('every mode that encrypts also verifies the certificate, unless it says otherwise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-url-'));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, 'CA');
  const tls = (query: string) => hosts(`postgres://u@db.internal/w?${query}`)[0]!.tls;
  expect(tls('sslmode=disable')).toBe(false);
  expect(tls('sslmode=no-verify')).toEqual({ rejectUnauthorized: false });
  for (const mode of ['require', 'verify-full', 'verify-ca']) {
    const options = tls(`sslmode=${mode}&sslrootcert=${ca}`);
    expect(options, mode).toMatchObject({ ca: 'CA' });
    expect(options, mode).not.toHaveProperty('rejectUnauthorized');
  }
  // A certificate without a mode is not ignored.
  expect(tls(`sslrootcert=${ca}`)).toMatchObject({ ca: 'CA' });
  const check = (query: string) => {
    const options = tls(query);
    if (options === false) throw new Error('plain text');
    return options.checkServerIdentity!('ignored', { subject: { CN: 'other' } } as never);
  };
  expect(check('sslmode=require')).toBeInstanceOf(Error);
  expect(check('sslmode=verify-ca')).toBeUndefined();
  expect(fault('postgres://db/w?sslmode=prefer')).toContain('may fall back to plain text');
  expect(fault(`postgres://db/w?sslmode=require&sslrootcert=${folder}/none`)).toContain('cannot be read');
  rmSync(folder, { recursive: true });
});
