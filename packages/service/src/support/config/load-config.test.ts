import { expect, test } from 'vitest';
import { loadConfig, loadStoreConfig, withoutEffect } from './load-config.ts';
import { SETTINGS } from './settings.ts';

function configOf(environment: Record<string, string>, flags = {}) {
  const loaded = loadConfig(environment, flags);
  if (loaded.kind !== 'config') throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

function faultsOf(environment: Record<string, string>, flags = {}) {
  const loaded = loadConfig(environment, flags);
  return loaded.kind === 'invalid' ? loaded.faults : [];
}

test('a command that opens no port does not read the one that Kubernetes sets', () => {
  const environment = { WRITECHECK_PORT: 'tcp://10.3.4.5:80', WRITECHECK_DATA: '/x' };
  expect(loadConfig(environment, {}).kind).toBe('invalid');
  expect(loadStoreConfig(environment, {})).toMatchObject({ kind: 'config', config: { data: '/x' } });
});

test('without any setting the documented defaults hold', () => {
  expect(configOf({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    data: './.writecheck',
    databaseUrl: null,
    signup: 'open',
    plan: 'private',
    metricsPort: null,
    workers: null,
    ratePerKey: null,
    signupsPerHour: 60,
  });
});

test('sign-up is open by itself on a loopback address only', () => {
  const signupOn = (host: string, more = {}) => configOf({ WRITECHECK_HOST: host, ...more }).signup;
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST'])
    expect([host, signupOn(host)]).toEqual([host, 'open']);
  for (const host of ['0.0.0.0', '::', '10.0.0.5', '128.0.0.1', 'localhost.example.com', 'writecheck', '::2'])
    expect([host, signupOn(host)]).toEqual([host, 'closed']);
  expect(signupOn('127.0.0.1', { WRITECHECK_SIGNUP: 'closed' })).toBe('closed');
});

test('sign-up is opened to others only together with a plan that is set', () => {
  const open = { WRITECHECK_HOST: '0.0.0.0', WRITECHECK_SIGNUP: 'open' };
  expect(faultsOf(open)).toEqual([
    'WRITECHECK_SIGNUP is `open` and `0.0.0.0` is not a loopback address: set WRITECHECK_PLAN too, to `hosted` (strangers get development keys, with ceilings) or `private` (whoever reaches the service gets live keys without limit)',
  ]);
  for (const plan of ['hosted', 'private'])
    expect(configOf({ ...open, WRITECHECK_PLAN: plan })).toMatchObject({ signup: 'open', plan });
  expect(configOf({}, { host: '0.0.0.0', signup: 'open', plan: 'private' }).signup).toBe('open');
  expect(faultsOf({}, { host: '::', signup: 'open' })).toHaveLength(1);
  // A fault that is listed already is listed once.
  expect(faultsOf({ ...open, WRITECHECK_PLAN: 'free' })).toHaveLength(1);
  // A command on the store opens nothing.
  expect(loadStoreConfig(open, {}).kind).toBe('config');
});

test('the ceilings of workspaces that sign themselves up have defaults', () => {
  expect(configOf({})).toMatchObject({
    ...{ selfServeRate: 20, selfServeBytes: 67_108_864, selfServePolicyBytes: 65_536 },
  });
});

test('a flag wins over the environment, and an empty variable is not set', () => {
  expect(configOf({ WRITECHECK_PORT: '9000' }, { port: '9001' }).port).toBe(9001);
  expect(configOf({ WRITECHECK_PORT: '' }).port).toBe(8080);
});

test('all errors are listed together, each with its place and the fix', () => {
  const faults = faultsOf(
    {
      WRITECHECK_PORT: '80a',
      WRITECHECK_SIGNUP: 'shut',
      WRITECHECK_WORKERS: '0',
      WRITECHECK_TRUST_PROXY: 'nginx',
    },
    { logLevel: 'loud' },
  );
  expect(faults).toEqual([
    'WRITECHECK_PORT is `80a`: must be a whole number from 0 to 65535',
    'WRITECHECK_SIGNUP is `shut`: must be one of `open`, `closed`',
    'WRITECHECK_WORKERS is `0`: must be a whole number from 1 to 64',
    'WRITECHECK_TRUST_PROXY is `nginx`: `nginx` is not an IP address or range; write a list like `10.0.0.5, 10.1.0.0/16, ::1`',
    '--log-level is `loud`: must be one of `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  ]);
});

test('every setting refuses some value or is free text', () => {
  const free = ['data', 'policies', 'signingKey', 'oidcClientId', 'oidcClientSecret'];
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const faults = faultsOf({ [setting.variable]: free.includes(name) ? '  ' : '?!' });
    expect(faults, name).toHaveLength(1);
  }
});

test('a password in a wrong database URL is not repeated', () => {
  const [fault] = faultsOf({ WRITECHECK_DATABASE_URL: 'mysql://root:hunter2@db/x' });
  expect(fault).toContain('WRITECHECK_DATABASE_URL: must be a URL');
  expect(fault).not.toContain('hunter2');
});

test('a misspelt variable stops the start instead of leaving its default in force', () => {
  expect(faultsOf({ WRITECHECK_SINGUP: 'closed' })).toEqual([
    'WRITECHECK_SINGUP is not a setting; did you mean `WRITECHECK_SIGNUP`',
  ]);
  expect(faultsOf({ WRITECHECK_URL: 'http://x', WRITECHECK_SERVICE_HOST: '10.0.0.1' })).toEqual([]);
});

test('a trusted proxy is an address or a range, of either family', () => {
  const { trustProxy } = configOf({ WRITECHECK_TRUST_PROXY: '10.1.0.0/16, ::1' });
  expect(trustProxy.trusts('10.1.2.3')).toBe(true);
  expect(trustProxy.trusts('10.2.2.3')).toBe(false);
  expect(trustProxy.trusts('::1')).toBe(true);
  expect(faultsOf({ WRITECHECK_TRUST_PROXY: '10.0.0.0/33' })).toHaveLength(1);
});

test('single sign-on is set up as a whole, and over TLS unless it is on this machine', () => {
  const whole = {
    WRITECHECK_OIDC_ISSUER: 'https://login.example.com',
    WRITECHECK_OIDC_CLIENT_ID: 'writecheck',
    WRITECHECK_OIDC_CLIENT_SECRET: 'secret',
  };
  expect(faultsOf(whole)).toEqual([]);
  for (const left of Object.keys(whole)) {
    const faults = faultsOf({ ...whole, [left]: '' });
    expect(faults).toEqual([`${left} is missing; single sign-on needs all three settings`]);
  }
  for (const issuer of [
    'http://login.example.com',
    'http://127.0.0.1.evil.test',
    'ftp://localhost',
    'login',
  ]) {
    expect(faultsOf({ ...whole, WRITECHECK_OIDC_ISSUER: issuer }), issuer).toHaveLength(1);
  }
  expect(faultsOf({ ...whole, WRITECHECK_OIDC_ISSUER: 'http://localhost:9000' })).toEqual([]);
});

test('a file is named only for a secret, and a variable without effect is known', () => {
  expect(faultsOf({ WRITECHECK_SIGNING_KEY_FILE: '/run/key.pem' })).toEqual([
    'WRITECHECK_SIGNING_KEY_FILE is not a setting, because WRITECHECK_SIGNING_KEY is no secret; set WRITECHECK_SIGNING_KEY itself',
  ]);
  expect(
    withoutEffect({
      WRITECHECK_CLOSE_SIGNUP: '1',
      WRITECHECK_DATABASE_URL_FILE: '/run/url',
      WRITECHECK_API_KEY_FILE: '/run/key',
      WRITECHECK_PORT_8080_TCP: 'tcp://10.3.4.5:80',
      WRITECHECK_SERVICE_HOST: '10.3.4.5',
      PATH: '/bin',
    }),
  ).toEqual(['WRITECHECK_CLOSE_SIGNUP']);
});
