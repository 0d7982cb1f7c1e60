/**
 * SIGUSR2 switches the log between `debug` and the level of the settings, so that a problem can be observed
 * without a restart.
 */
import type { Config } from '@writecheck/service/support/config/settings';
import type { Log } from '@writecheck/service/support/observability/log';

type Level = Config['logLevel'];

export function switchLogLevel(configured: Level, log: Log, set: (level: Level) => void): void {
  let level = configured;
  process.on('SIGUSR2', () => {
    level = level === configured ? 'debug' : configured;
    set(level);
    log.warn({ logLevel: level }, 'the log level was switched by SIGUSR2');
  });
}
