import { expect, test, vi } from 'vitest';
import { switchLogLevel } from './switch-log-level.ts';

test('SIGUSR2 switches to debug and back', () => {
  const before = process.listeners('SIGUSR2');
  const levels: string[] = [];
  const warn = vi.fn();
  const log = { debug() {}, info() {}, warn, error() {} };
  switchLogLevel('warn', log, (level) => void levels.push(level));
  const added = process.listeners('SIGUSR2').filter((listener) => !before.includes(listener));
  for (let i = 0; i < 3; i += 1) added[0]!('SIGUSR2');
  process.off('SIGUSR2', added[0]!);
  expect(levels).toEqual(['debug', 'warn', 'debug']);
  expect(warn).toHaveBeenCalledTimes(3);
});
