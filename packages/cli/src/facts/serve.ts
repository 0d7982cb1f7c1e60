/** `writecheck facts serve`: the reader, its log as the service has it, and an orderly shutdown. */
import { VERSION } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { type RunningReader, startReader } from '@writecheck/facts';
import { portFailure } from '@writecheck/service/runtime/threads/start-failure';
import { SETTINGS, type Setting } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import { stopOnSignals } from '../operator/stop-on-signals.ts';
import { readerConfig } from './config.ts';

const PORT = 8081;

interface Flags {
  readonly host?: string;
  readonly port?: string;
}

export async function serveFacts(file: string, flags: Flags): Promise<void> {
  const settings = readSettings(flags);
  const { host, port } = settings;
  const config = readerConfig(file);
  const log = createLog(settings.logLevel);
  let reader: RunningReader;
  try {
    reader = await startReader({ config, host, port, log });
  } catch (error) {
    throw portFailure(error, { host, port, metricsPort: null }, SETTINGS.metricsPort.variable);
  }
  stopOnSignals(() => reader.stop(), log);
  process.stdout.write(`The facts reader listens on ${reader.url}\n`);
  log.info({ version: VERSION, url: reader.url, controls: config.controls.map(({ id }) => id) }, 'serving');
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
  const { host: ofHost, port: ofPort, logLevel: ofLog } = SETTINGS;
  const at = host === undefined ? 'WRITECHECK_FACTS_HOST' : '--host';
  const on = port === undefined ? 'WRITECHECK_FACTS_PORT' : '--port';
  const settings = {
    host: read(ofHost, at, host ?? env.WRITECHECK_FACTS_HOST, ofHost.fallback),
    port: read(ofPort, on, port ?? env.WRITECHECK_FACTS_PORT, PORT),
    logLevel: read(ofLog, ofLog.variable, env[ofLog.variable], ofLog.fallback),
  };
  if (faults.length > 0) throw new CommandFailure(listFaults('these settings cannot be used:', faults));
  return settings;
}
