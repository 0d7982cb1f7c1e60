/**
 * `npm run bench -- reconcile`: a million changes against ten million decisions, in time and memory. The export
 * comes over HTTP; with BENCH_EXPORT, from that file, which is written first if it does not exist.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { changedDecision, decisionsOf, isBypassed, recordOf } from './reconcile-history.ts';
import { atLeast, atMost, type Row } from './report.ts';
import { memoryMb, processorUs } from './service-processes.ts';

const WRITTEN_AFTER_MS = 30_000;
const BYPASSES_FOUND = 5;
const LOOK_EVERY_MS = 200;

function* changesText(decisions: number): Generator<string> {
  yield 'time,objectType,objectRef,field,newValue,actor\r\n';
  for (let i = 0; i < decisions; i += 1) {
    if (changedDecision(i) === null) continue;
    const { atMs, objectRef, field, value } = recordOf(i);
    const ref = isBypassed(i) ? `unknown ${i}` : objectRef;
    yield `${new Date(atMs + WRITTEN_AFTER_MS).toISOString()},vendor,${ref},${field},${value},agent-${i % 7}\r\n`;
  }
}

function processOf(file: string, args: readonly string[]) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, ['--conditions=writecheck-source', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Where the command reads the export. */
async function sourceOf(service: ReturnType<typeof processOf>): Promise<readonly string[]> {
  const path = process.env.BENCH_EXPORT;
  if (path === undefined) {
    const port = Number(await new Promise<Buffer>((resolve) => service.stdout.once('data', resolve)));
    return ['--service', `http://127.0.0.1:${port}`, '--key', 'any'];
  }
  if (!existsSync(path)) await once(processOf('./reconcile-service.ts', [path]), 'exit');
  return ['--export', path];
}

export async function benchReconcile(): Promise<readonly Row[]> {
  const decisions = decisionsOf(process.env);
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-bench-'));
  const service = processOf('./reconcile-service.ts', []);
  try {
    const file = join(folder, 'changes.csv');
    await pipeline(Readable.from(changesText(decisions)), createWriteStream(file));
    const source = await sourceOf(service);
    const startedMs = performance.now();
    const args = ['reconcile', file, ...source, '--system', 'erp', '--json'];
    const command = processOf('../../packages/audit/src/writecheck-audit.ts', args);
    let output = '';
    command.stdout.on('data', (chunk) => {
      output += chunk;
    });
    let peak = 0;
    let usedUs = 0;
    const watch = setInterval(() => {
      try {
        peak = Math.max(peak, memoryMb(command.pid!, 'VmHWM'));
        // By processor time, because the machine may have other work.
        usedUs = Math.max(usedUs, processorUs(command.pid!));
      } catch {
        // It has just ended.
      }
    }, LOOK_EVERY_MS);
    const code = await new Promise((resolve) => command.on('close', resolve));
    clearInterval(watch);
    const seconds = (performance.now() - startedMs) / 1_000;
    const { classes, notCarriedOut } = JSON.parse(output);
    const bypassed = Math.ceil(decisions / 10_000);
    const redeemed = Math.ceil(decisions / 20) - bypassed;
    const expected = { redeemed, allowed: Math.ceil(decisions / 10) - bypassed - redeemed, bypassed };
    const found = { redeemed: classes.redeemed, allowed: classes.allowed, bypassed: classes.nobody_asked };
    if (code !== BYPASSES_FOUND || JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`expected ${JSON.stringify(expected)}, found ${output.slice(0, 1_000)}`);
    }
    console.log(`${seconds.toFixed(0)} s, ${notCarriedOut} allows not carried out`);
    return [
      atMost(`reconcile ${decisions} decisions: peak memory, MB`, peak, 1_000, 600),
      atLeast(
        `reconcile ${decisions} decisions: a second of one core`,
        decisions / (usedUs / 1_000_000),
        10_000,
        30_000,
      ),
    ];
  } finally {
    service.kill();
    rmSync(folder, { recursive: true });
  }
}
