/** Queries the evidence sources of a mapping, one after another; throws if any of them fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { EvidenceItem, WriteIntent } from '@writecheck/client';
import { isObject, parseStrictJson, shown } from '@writecheck/contract';
import { childEnvironment } from '@writecheck/contract/command';
import { fetchEvidence, OUTPUT_BYTES_MAX } from './fetch-evidence.ts';
import type { EvidenceSource } from './read-mapping.ts';

const AUTHORITY = ['authorityFound', 'authorityValue', 'authoritySource'];

/** Running commands: they end with this process, however it ends, except by `kill -9`. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(killGroup));

/**
 * Each source sees the intent with what the earlier ones added, so one can sign what another looked up. INVARIANT: a
 * source that fails stops the call. Continuing without it could omit a FAIL, and so loosen.
 */
export async function gatherEvidence(
  intent: WriteIntent,
  sources: readonly EvidenceSource[],
  folder: string,
): Promise<WriteIntent> {
  let gathered = intent;
  for (const [index, source] of sources.entries()) {
    gathered = addFacts(gathered, await bytesOf(source, gathered, folder), nameOf(source, index));
  }
  return gathered;
}

function bytesOf(source: EvidenceSource, intent: WriteIntent, folder: string): Promise<Uint8Array> {
  if (source.kind === 'file') return readFile(resolve(folder, source.path));
  return source.kind === 'url'
    ? fetchEvidence(source, intent)
    : runCommand(source, JSON.stringify(intent), folder);
}

/** INVARIANT: not the arguments of a command, nor more than the host of a URL: they may be secrets. */
function nameOf(source: EvidenceSource, index: number): string {
  const what =
    source.kind === 'file'
      ? source.path
      : source.kind === 'command'
        ? source.argv[0]!
        : new URL(source.url).host;
  return `the evidence source \`${what}\` (/evidence/${index} of the tool)`;
}

function addFacts(intent: WriteIntent, bytes: Uint8Array, source: string): WriteIntent {
  const parsed = parseStrictJson(bytes);
  if (parsed.kind !== 'json' || !isObject(parsed.value))
    throw new Error(
      `${source} did not return strict JSON with an object; run it alone to see what it returns`,
    );
  const { controlEvidence = [], ...authority } = parsed.value;
  if (!Array.isArray(controlEvidence))
    throw new Error(`${source} returned \`controlEvidence\` that is not a list`);
  for (const member of Object.keys(authority)) {
    if (!AUTHORITY.includes(member))
      throw new Error(
        `${source} returned \`${shown(member)}\`; it may return only \`controlEvidence\` and ${AUTHORITY.join(', ')}`,
      );
    if (member in intent)
      throw new Error(`two evidence sources returned \`${member}\`; the second is ${source}`);
  }
  const items = [...(intent.controlEvidence ?? []), ...(controlEvidence as EvidenceItem[])];
  return { ...intent, ...authority, ...(items.length > 0 ? { controlEvidence: items } : {}) };
}

function runCommand(
  { argv: [command, ...args], timeoutMs }: EvidenceSource & { readonly kind: 'command' },
  input: string,
  cwd: string,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Its own process group, so that anything the source started ends with it and holds no pipe open.
    const child = spawn(command!, args, {
      cwd,
      env: childEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    running.add(child);
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (why: string): void => {
      clearTimeout(timer);
      running.delete(child);
      killGroup(child);
      child.stdout.destroy();
      reject(new Error(`the evidence source \`${command}\` ${why}`));
    };
    const timer = setTimeout(fail, timeoutMs, `did not respond within ${timeoutMs} ms`);
    child.on('error', () => fail('cannot be started'));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > OUTPUT_BYTES_MAX) fail(`returned more than ${OUTPUT_BYTES_MAX} bytes`);
      else chunks.push(chunk);
    });
    child.on('close', (code) => {
      running.delete(child);
      if (code !== 0) return fail(`ended with ${code === null ? 'a signal' : `exit code ${code}`}`);
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    // A source does not have to read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has already ended, or this platform has no process groups.
    child.kill('SIGKILL');
  }
}
