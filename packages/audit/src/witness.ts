/**
 * `witness`: an outsider that keeps checkpoints. A service cannot secretly undo a signature: a log that was
 * cut, rewritten or deleted no longer matches the kept checkpoints.
 */
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLine } from '@writecheck/contract';
import { openCheckpoint, parseVerifierKeys, verifyExtension } from '@writecheck/ledger';
import { notVerified, undetermined } from './fail.ts';
import { checkpointIn, keysOf } from './files.ts';
import { makeFolder } from './make-folder.ts';
import { print } from './print.ts';

export interface WitnessOptions {
  readonly out: string;
  readonly keys?: readonly string[];
  readonly every?: string;
}

const TIMEOUT_MS = 10_000;
const ROTATED = '; if the signing key was rotated, add the new line to the keys of this witness';
const LOG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export async function witnessCommand(url: string, options: WitnessOptions): Promise<void> {
  const everySeconds = options.every === undefined ? null : Number(options.every);
  if (everySeconds !== null && !(everySeconds >= 1)) throw undetermined('--every must be at least 1 second');
  if (!URL.canParse(url)) throw undetermined(`\`${url}\` is not a URL`);
  if (everySeconds === null) {
    const faults = await look(url, options);
    if (faults.length > 0) throw notVerified(faults.join('\n'));
    return;
  }
  // A wrong --keys is the user's mistake and ends it; a later failure may be over the next time.
  if (options.keys !== undefined) await keysOf(options.keys);
  for (;;) {
    // A continuous witness repeats its findings until somebody looks.
    for (const fault of await lookWithoutFailing(url, options, everySeconds)) {
      process.stderr.write(`${new Date().toISOString()} ${fault}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, everySeconds * 1_000));
  }
}

/** INVARIANT: a service that is down, a full disk or a strange response never ends a continuous witness. */
async function lookWithoutFailing(
  url: string,
  options: WitnessOptions,
  everySeconds: number,
): Promise<readonly string[]> {
  try {
    return await look(url, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`the check failed, next attempt in ${everySeconds} s: ${oneLine(why)}`];
  }
}

/**
 * Checks every log once, known or new; returns the errors as text. A log that cannot be checked does not hide
 * findings in the others.
 */
async function look(url: string, { out, keys: given }: WitnessOptions): Promise<readonly string[]> {
  const keys = given === undefined ? await firstSeenKeys(url, out) : await keysOf(given);
  const { logs } = Object((await get(url, '/v1/audit/logs')) ?? {}) as { readonly logs?: unknown };
  if (!Array.isArray(logs)) throw undetermined(`\`${url}\` lists no logs`);
  const listed: readonly { readonly log?: unknown }[] = logs.map(Object);
  const names = listed.map(({ log }) => String(log)).filter((log) => LOG_NAME.test(log));
  const faults: string[] = [];
  let failed: Error | null = null;
  for (const log of new Set([...(await knownLogs(out)), ...names])) {
    try {
      const fault = names.includes(log)
        ? await lookAt(url, log, out, keys)
        : `log \`${log}\` existed before and is missing now`;
      if (fault !== null) faults.push(`changed: ${fault}`);
    } catch (error) {
      failed = error as Error;
    }
  }
  if (failed !== null && faults.length === 0) throw failed;
  return failed === null ? faults : [...faults, `not every log was checked: ${oneLine(failed.message)}`];
}

async function lookAt(
  url: string,
  log: string,
  out: string,
  keys: readonly string[],
): Promise<string | null> {
  const newer = (await get(url, `/v1/audit/checkpoint?log=${log}`)) as string;
  const opened = await openCheckpoint(newer, parseVerifierKeys(keys)!);
  // A rotated key looks like a forged log to a witness that lacks the new key.
  const hint = opened.kind === 'refused' && opened.reason === 'unknown_signer' ? ROTATED : '';
  if (opened.kind === 'refused') return `log \`${log}\`: ${opened.message}${hint}`;
  if (opened.checkpoint.log !== log) return `log \`${log}\`: the checkpoint belongs to another log`;
  const { size } = opened.checkpoint;
  const older = await lastKept(out, log);
  if (older === newer) {
    print(`log \`${log}\`: ${size} entries, as before`);
    return null;
  }
  if (older !== null) {
    const before = await openCheckpoint(older, parseVerifierKeys(keys)!);
    if (before.kind === 'refused') return `log \`${log}\`: the saved checkpoint: ${before.message}`;
    const from = before.checkpoint.size;
    const path = `/v1/audit/consistency?log=${log}&from=${from}&to=${size}`;
    const { proof } = size < from ? { proof: [] } : ((await get(url, path)) as { readonly proof: string[] });
    const verdict = await verifyExtension({ older, newer, proof, keys });
    if (!verdict.ok) {
      // Writes each checkpoint once: a witness that repeats itself for a year must not fill its disk.
      const conflicts = `${log}.conflicts`;
      if ((await lastKept(out, conflicts)) !== newer) await keep(out, conflicts, newer);
      return `log \`${log}\`: ${verdict.message}; both checkpoints are saved in \`${out}\``;
    }
    print(`log \`${log}\`: ${size} entries, which begin with the ${from} earlier ones`);
  } else print(`log \`${log}\`: ${size} entries, seen for the first time`);
  await keep(out, log, newer);
  return null;
}

/** The first keys seen are pinned: the operator, not the service alone, must supply a later one. */
async function firstSeenKeys(url: string, out: string): Promise<readonly string[]> {
  const file = join(out, 'keys');
  try {
    return await keysOf([file]);
  } catch {
    const lines = (await get(url, '/v1/audit/key')) as string;
    if (parseVerifierKeys(lines) === null) throw undetermined('the service publishes no verifier keys');
    makeFolder(out);
    await writeFile(file, lines, { flag: 'wx' });
    print(`the keys are trusted on first use and saved in \`${file}\``);
    return keysOf([file]);
  }
}

async function get(base: string, path: string): Promise<unknown> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    response = await fetch(new URL(path, base), { signal, redirect: 'error' });
    if (response.status === 200) {
      return (response.headers.get('content-type') ?? '').includes('json')
        ? await response.json()
        : await response.text();
    }
  } catch {
    throw undetermined(`\`${base}\` cannot be reached`);
  }
  throw undetermined(`\`${base}\` responded with ${response.status} at \`${path}\``);
}

function fileOf(out: string, log: string): string {
  return join(out, `${log}.jsonl`);
}

async function knownLogs(out: string): Promise<readonly string[]> {
  // Created with the first file: an unreachable service leaves no empty folder.
  if (!existsSync(out)) return [];
  return (await readdir(out))
    .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.conflicts.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));
}

async function lastKept(out: string, log: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(fileOf(out, log), 'utf8');
  } catch {
    return null;
  }
  const kept = checkpointIn(text.trimEnd().split('\n').at(-1)!);
  if (kept !== null) return kept;
  throw undetermined(
    `\`${fileOf(out, log)}\` cannot be read; it contains what this witness knows; inspect it yourself`,
  );
}

async function keep(out: string, log: string, checkpoint: string): Promise<void> {
  const line = JSON.stringify({ seenAt: new Date().toISOString(), checkpoint });
  makeFolder(out);
  await appendFile(fileOf(out, log), `${line}\n`, { flush: true });
}
