import { expect, test } from 'vitest';
import { portFailure } from './start-failure.ts';

const PORTS = { host: '127.0.0.1', port: 8080, metricsPort: 9090 };

test.each([
  [8080, PORTS, 'port 8080 on `127.0.0.1` is in use; stop what uses it, or choose another one with --port'],
  [9090, PORTS, 'choose another one with --metrics-port'],
  [8080, { ...PORTS, metricsPort: 8080 }, 'checks and metrics cannot share port 8080'],
])('if port %i is taken, the error names the setting that chooses it', (port, ports, message) => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE', port });
  expect(portFailure(taken, ports, '--metrics-port')).toMatchObject({
    message: expect.stringContaining(message),
  });
});
