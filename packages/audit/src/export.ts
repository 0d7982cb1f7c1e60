/** `export`: fetches an export over HTTP into a file, and continues an interrupted one. */
import { createWriteStream, existsSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { CommandFailure, ownerKey, serviceUrl } from '@writecheck/contract/command';
import { type ExportPlace, parseCheckpointText, parseExportLine, parseNote } from '@writecheck/ledger';
import { UNDETERMINED_EXIT_CODE, undetermined } from './fail.ts';
import { isCompressed, knownCheckpoints, linesOf } from './files.ts';

/** Adds a checksum, so that a damaged file is noticed before it is read as something else. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

export interface ExportOptions {
  readonly url?: string;
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly keyId?: string;
  readonly objectRef?: string;
  readonly since?: readonly string[];
  readonly out?: string;
  readonly compress?: 'zstd';
  readonly resume: boolean;
}

/** `program` is how the user calls the audit commands, for the printed next step. */
export async function exportCommand(options: ExportOptions, program: string): Promise<void> {
  const { from, to, out, resume } = options;
  const key = ownerKey(options.key);
  const isPacked = options.compress !== undefined || out?.endsWith('.zst') === true;
  const unresumable = await unresumableKind(options, isPacked);
  if (resume && unresumable !== null)
    throw new CommandFailure(
      `${unresumable} cannot be continued; leave out --resume and export into a new file`,
    );
  if (out === '-') throw new CommandFailure('to write to stdout, leave out --out');
  if (resume && out === undefined) throw new CommandFailure('--resume needs the file, with --out');
  if (!resume && out !== undefined && existsSync(out)) {
    const orContinue = unresumable === null ? ', or continue it with --resume' : '';
    throw new CommandFailure(`\`${out}\` already exists; name another file${orContinue}`);
  }
  const url = new URL('/v1/audit/export', serviceUrl(options.url, UNDETERMINED_EXIT_CODE));
  const had = resume && existsSync(out!) ? await placeOf(out!) : null;
  if (had === 'whole') return tell(`\`${out}\` is already complete`);
  if (resume && existsSync(out!)) await truncate(out!, had?.endByte ?? 0);

  if (from !== undefined) url.searchParams.set('from', from);
  if (to !== undefined) url.searchParams.set('to', to);
  if (options.keyId !== undefined) url.searchParams.set('keyId', options.keyId);
  if (options.objectRef !== undefined) url.searchParams.set('objectRef', options.objectRef);
  if (options.since !== undefined) {
    const sizes = trustedSizes(await knownCheckpoints(options.since));
    url.searchParams.set('since', Buffer.from(JSON.stringify(sizes)).toString('base64url'));
  }
  if (had !== null) {
    url.searchParams.set('resume', Buffer.from(JSON.stringify(had.place)).toString('base64url'));
  }
  const response = await requestExport(url, key);
  const target = out === undefined ? process.stdout : createWriteStream(out, { flags: 'a', mode: 0o600 });
  try {
    const exported = Readable.fromWeb(response.body as never);
    const end = { end: out !== undefined };
    const packed: Transform = isPacked ? createZstdCompress(CHECKED) : new PassThrough();
    await pipeline(exported, packed, target, end);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw undetermined(
      `the export was interrupted, and the log of the service says why; ${nextStep(out, unresumable !== null)}`,
    );
  }
  if (out !== undefined)
    tell(
      `\`${out}\` is written; verify it with \`${program} verify ${out} --keys …\`, which also counts its decisions`,
    );
}

/** What kind of export it is, if `--resume` cannot continue it; null if it can. */
async function unresumableKind(options: ExportOptions, isPacked: boolean): Promise<string | null> {
  const { keyId, objectRef, since, out } = options;
  if (isPacked || (out !== undefined && (await isCompressed(out)))) return 'a compressed export';
  if (since !== undefined) return 'an export since a checkpoint';
  return (keyId ?? objectRef) === undefined ? null : 'an export of one key or object';
}

function nextStep(out: string | undefined, isUnresumable: boolean): string {
  if (isUnresumable) return out === undefined ? 'run it again' : `delete \`${out}\` and run it again`;
  return out === undefined ? 'use --out to make it resumable' : 'continue with --resume';
}

/** The largest of each log; `verify` checks their signatures. */
function trustedSizes(notes: readonly string[]): { readonly [log: string]: number } {
  const sizes = new Map<string, number>();
  for (const note of notes) {
    const checkpoint = parseCheckpointText(parseNote(note)?.text ?? '');
    if (checkpoint === null) throw undetermined('--since must name a file that holds only checkpoints');
    sizes.set(checkpoint.log, Math.max(checkpoint.size, sizes.get(checkpoint.log) ?? 0));
  }
  return Object.fromEntries(sizes);
}

/** The response of a service that gives the export; any other is an error. */
async function requestExport(url: URL, key: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, redirect: 'error' });
  } catch {
    throw undetermined(`\`${url.origin}\` cannot be reached; is the service running?`);
  }
  if (response.status === 200 && response.body !== null) return response;
  const { error } = (await response.json().catch(() => ({}))) as {
    readonly error?: { readonly message: string };
  };
  throw undetermined(`the service refuses (${response.status}): ${error?.message ?? 'no reason given'}`);
}

/** The place that an interrupted file reached; null if the export must start again. */
async function placeOf(
  file: string,
): Promise<{ readonly place: ExportPlace; readonly endByte: number } | 'whole' | null> {
  let lines = 0;
  let sizes: { readonly [log: string]: number } | null = null;
  let last: { readonly log: string; readonly index: number } | null = null;
  let endByte = 0;
  for await (const line of linesOf(file, 'reading the existing file')) {
    if (!line.isWhole) break;
    const parsed = parseExportLine(line.text);
    if (parsed === null) throw undetermined(`\`${file}\` is not an export: line ${lines + 1} cannot be read`);
    if (parsed.kind === 'trailer') return 'whole';
    if (parsed.kind === 'header') {
      sizes = Object.fromEntries(parsed.logs.map(({ log, checkpoint }) => [log, sizeOf(checkpoint)]));
    }
    if (parsed.kind === 'entry' || parsed.kind === 'hash') last = { log: parsed.log, index: parsed.index };
    lines += 1;
    endByte = line.endByte;
  }
  // Bundles come before all entries: if no entry has arrived yet, starting again loses little.
  return sizes === null || last === null ? null : { place: { lines, ...last, sizes }, endByte };
}

function sizeOf(note: string): number {
  return parseCheckpointText(parseNote(note)?.text ?? '')?.size ?? 0;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
