/** SIGTERM, SIGINT and the end of npx shut a service down in order: within 10 seconds, with exit code 0. */
import type { Log } from '@writecheck/service/support/observability/log';

const STOP_WITHIN_MS = 9_500;
const PARENT_EVERY_MS = 500;

export function stopOnSignals(stop: () => Promise<void>, log: Log): void {
  let isStopping = false;
  const end = (signal: NodeJS.Signals) => {
    // A second signal comes from a person who does not want to wait.
    if (isStopping) {
      if (signal === 'SIGINT') process.exit(130);
      return;
    }
    isStopping = true;
    log.info({ signal }, 'stopping: no new connections, finishing requests in flight');
    const late = setTimeout(() => {
      log.warn({}, 'some requests were still in flight when the time to stop was over');
      process.exit(0);
    }, STOP_WITHIN_MS);
    late.unref();
    stop().then(
      () => {
        log.info({ signal }, 'stopped');
        process.exit(0);
      },
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  onNpmGone(() => end('SIGTERM'));
}

/**
 * npm and npx pass a signal to the shell between them and us, and that shell dies of it silently: only the change of
 * our parent shows it. A process that starts the program directly may leave, as `nohup` and daemons do.
 */
function onNpmGone(end: () => void): void {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    end();
  }, PARENT_EVERY_MS);
  look.unref();
}
