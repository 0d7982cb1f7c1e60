/** `writecheck facts serve`: the reader, its log and metrics as the service has them, and an orderly shutdown. */
import type { Server } from 'node:http';
import { VERSION } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { createReaderMetrics, type ReaderMetrics, type RunningReader, startReader } from '@writecheck/facts';
import { listen } from '@writecheck/service/edge/listen';
import { portFailure } from '@writecheck/service/runtime/threads/start-failure';
import { SETTINGS, type Setting } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import { metricsServerFor } from '@writecheck/service/support/observability/metrics';
import { stopOnSignals } from '../operator/stop-on-signals.ts';
import { readerConfig } from './config.ts';

const PORT = 8081;

interface Flags {
  readonly host?: string;
  readonly port?: string;
}

export async function serveFacts(file: string, flags: Flags): Promise<void> {
  const settings = readSettings(flags);
  const { host, port, metricsPort } = settings;
  const config = readerConfig(file);
  const log = createLog(settings.logLevel);
  const metrics = metricsPort === null ? undefined : await createReaderMetrics(config.controls);
  let reader: RunningReader | undefined;
  let metricsServer: Server | undefined;
  try {
    reader = await startReader({ config, host, port, log, metrics });
    metricsServer = await serveMetrics(metrics, metricsPort, host);
  } catch (error) {
    await reader?.stop();
    throw portFailure(error, settings, SETTINGS.metricsPort.variable);
  }
  const running = reader;
  stopOnSignals(async () => {
    await running.stop();
    metricsServer?.close();
  }, log);
  process.stdout.write(`The facts reader listens on ${running.url}\n`);
  log.info({ version: VERSION, url: running.url, controls: config.controls.map(({ id }) => id) }, 'serving');
}

function readSettings({ host, port }: Flags) {
  const faults: string[] = [];
  const { env } = process;
  function read<T>({ parse }: Setting<T>, place: string, raw: string | undefined, fallback: T): T {
    if (raw === undefined || raw === '') return fallback;
    const parsed = parse(raw);
    if ('value' in parsed) return parsed.value;
    faults.push(`${place} is \`${raw}\`: ${parsed.fault}`);
    return fallback;
  }
  const { host: ofHost, port: ofPort, metricsPort: ofMetrics, logLevel: ofLog } = SETTINGS;
  const at = host === undefined ? 'WRITECHECK_FACTS_HOST' : '--host';
  const on = port === undefined ? 'WRITECHECK_FACTS_PORT' : '--port';
  const settings = {
    host: read(ofHost, at, host ?? env.WRITECHECK_FACTS_HOST, ofHost.fallback),
    port: read(ofPort, on, port ?? env.WRITECHECK_FACTS_PORT, PORT),
    metricsPort: read(ofMetrics, ofMetrics.variable, env[ofMetrics.variable], ofMetrics.fallback),
    logLevel: read(ofLog, ofLog.variable, env[ofLog.variable], ofLog.fallback),
  };
  if (faults.length > 0) throw new CommandFailure(listFaults('these settings cannot be used:', faults));
  return settings;
}

async function serveMetrics(
  metrics: ReaderMetrics | undefined,
  port: number | null,
  host: string,
): Promise<Server | undefined> {
  if (metrics === undefined || port === null) return undefined;
  const server = metricsServerFor(metrics.render);
  await listen(server, port, host);
  return server;
}
