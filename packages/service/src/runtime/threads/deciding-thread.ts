/** One of several threads that decide: a whole service on the shared port, which writes through the store's threads. */
import { MessageChannel, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { SharedThread } from '@writecheck/store/port/sharing';
import { ExportPlaces } from '../../features/audit/export-places.ts';
import { createLog } from '../../support/observability/log.ts';
import { Siblings } from '../../support/siblings.ts';
import { joinStore, loadService, type RunningService, startService } from '../open-store.ts';
import { configOf } from './config-of.ts';
import { listenFailure } from './start-failure.ts';
import type { FromThread, StartThread, ThreadOrder, ToThread } from './thread-messages.ts';

const { worker, flags, alarm, limits, recentAllows, exports, changes } = workerData as ThreadOrder;
const config = configOf(flags);
const main = parentPort!;
const log = createLog(config.logLevel, undefined, worker);

function tell(message: FromThread, ...moved: MessagePort[]): void {
  main.postMessage(message, moved);
}

function connectTo(to: SharedThread): MessagePort {
  const { port1, port2 } = new MessageChannel();
  tell({ kind: 'connect', to, port: port2 }, port2);
  return port1;
}

function received<Kind extends ToThread['kind']>(kind: Kind): Promise<ToThread & { readonly kind: Kind }> {
  return new Promise((resolve) => {
    main.on('message', (message: ToThread) => message.kind === kind && resolve(message as never));
  });
}

const mayStart = received('start');
const mayListen = received('listen');
const opened = received('open');
const stopped = received('stop');

async function start({ shared }: StartThread): Promise<RunningService> {
  const store = await joinStore(config, shared, connectTo);
  try {
    const prepared = () => {
      tell({ kind: 'prepared' });
      return mayListen;
    };
    const signsLog = shared === null;
    const siblings = new Siblings(changes);
    const sharing = { alarm: new ForkAlarm(alarm), limits, recentAllows, siblings };
    const places = new ExportPlaces(exports, worker - 1);
    const together = { prepared, opened, signsLog, ...sharing, exports: places };
    return await startService({ config, store, log, together });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(): Promise<void> {
  let service: RunningService;
  try {
    await loadService(config);
    service = await start(await mayStart);
  } catch (error) {
    const failure = listenFailure(error, config);
    tell({ kind: 'not-started', message: failure instanceof Error ? failure.message : String(failure) });
    return process.exit(1);
  }
  stopped
    .then(() => service.stop())
    .then(
      () => process.exit(0),
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  main.on('message', (message: ToThread) => {
    if (message.kind === 'gather-metrics') {
      const { id } = message;
      // A thread that cannot gather its metrics sends nothing; the main thread waits only for a limited time.
      service.gatherMetrics?.().then(
        (metrics) => tell({ kind: 'metrics', id, metrics }),
        (error) => log.warn({ error: String(error) }, 'metrics could not be gathered'),
      );
    }
  });
  tell({ kind: 'listening' });
}

await serve();
