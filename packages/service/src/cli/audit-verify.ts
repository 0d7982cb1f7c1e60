/** `writecheck audit verify` and `audit replay`: offline, on files, with nothing of a running service. */
import { intentDigest, parseIntent } from '@writecheck/contract';
import {
  decodeBase64,
  ExportVerifier,
  type Leaf,
  leafHash,
  openCheckpoint,
  parseEntry,
  parseExportLine,
  parseReceipt,
  parseVerifierKeys,
  verifyExtension,
  verifyInclusion,
} from '@writecheck/ledger';
import { ReplayBundles, replayRecord } from '../audit/replay-record.ts';
import { sha256 } from '../sha256.ts';
import { keysOf, knownCheckpoints, linesOf, textOf, untold } from './audit-files.ts';
import { CommandFailure } from './fail.ts';

export interface VerifyOptions {
  readonly keys: readonly string[];
  readonly known?: readonly string[];
  readonly workspace?: string;
  readonly intent?: string;
  readonly proof?: string;
}

const NOT_SO = 1;

export async function verifyCommand(
  file: string,
  newer: string | undefined,
  options: VerifyOptions,
): Promise<void> {
  const keys = await keysOf(options.keys);
  if (newer !== undefined) return verifyTwo(file, newer, options, keys);
  for await (const { text } of linesOf(file, 'reading')) {
    if (text.startsWith('{"kind":')) return verifyExportFile(file, options, keys);
    break;
  }
  return verifyReceiptFile(file, options, keys);
}

async function verifyExportFile(
  file: string,
  { known, workspace }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const verifier = new ExportVerifier({
    ...{ keys, knownCheckpoints: await knownCheckpoints(known ?? []), sha256 },
    ...(workspace === undefined ? {} : { workspace }),
  });
  for await (const { text } of linesOf(file, 'verifying')) {
    await verifier.push(text);
    if (verifier.fault !== null) break;
  }
  const verdict = verifier.finish();
  if (!verdict.ok) throw new CommandFailure(verdict.words, NOT_SO);
  print(verdict.words);
  for (const { log, size, root } of verdict.logs) print(`  log \`${log}\`: ${size} entries, root ${root}`);
}

async function verifyReceiptFile(
  file: string,
  { workspace, intent }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const leaf = await provenLeaf(JSON.parse(jsonOrNull(await textOf(file)) ?? 'null'), keys, file);
  const refuse = (why: string): never => {
    throw new CommandFailure(`not verified: ${why}`, NOT_SO);
  };
  if (workspace !== undefined && leaf.workspace !== workspace) {
    refuse(`the decision was made in workspace \`${leaf.workspace}\``);
  }
  if (intent !== undefined) {
    const parsed = parseIntent(Buffer.from(await textOf(intent)));
    if (parsed.kind === 'refused') throw untold(`\`${intent}\` is not a valid intent: ${parsed.message}`);
    if (intentDigest(parsed.intent) !== leaf.intentDigest) refuse('the decision is about another write');
  }
  print(
    `verified: ${leaf.decision} (${leaf.reason_code}) of ${leaf.timestamp} is in log \`${leaf.log}\`: ` +
      `decision \`${leaf.decision_id}\` of workspace \`${leaf.workspace}\``,
  );
  if (intent === undefined) print(`  for the write with the digest ${leaf.intentDigest}`);
}

async function provenLeaf(value: unknown, lines: readonly string[], file: string): Promise<Leaf> {
  const parts = parseReceipt(value);
  if (parts === null) throw untold(`\`${file}\` is neither an export nor a receipt`);
  const opened = await openCheckpoint(parts.checkpoint, parseVerifierKeys(lines)!);
  if (opened.kind === 'refused') throw new CommandFailure(`not verified: ${opened.message}`, NOT_SO);
  const { checkpoint } = opened;
  const claim = {
    leafHash: leafHash(parts.leaf),
    index: parts.index,
    size: parts.treeSize,
    proof: parts.proof,
  };
  const isIn = checkpoint.size === parts.treeSize && verifyInclusion({ ...claim, root: checkpoint.root });
  const entry = isIn ? parseEntry(parts.leaf) : null;
  if (entry?.kind !== 'decision' || entry.leaf.log !== checkpoint.log) {
    throw new CommandFailure(
      'not verified: the proof does not lead from the decision to the checkpoint',
      NOT_SO,
    );
  }
  return entry.leaf;
}

async function verifyTwo(
  older: string,
  newer: string,
  { proof }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const read = JSON.parse((proof === undefined ? null : jsonOrNull(await textOf(proof))) ?? '{"proof":[]}');
  if (!Array.isArray(read?.proof)) throw untold(`\`${proof}\` holds no proof`);
  const claim = { older: await textOf(older), newer: await textOf(newer), proof: read.proof, keys };
  const verdict = await verifyExtension(claim);
  if (!verdict.ok) throw new CommandFailure(`not verified: ${verdict.message}`, NOT_SO);
  print(
    `verified: the ${verdict.newer.size} entries of log \`${verdict.newer.log}\` begin with the ${verdict.older.size} of before`,
  );
}

export async function replayCommand(file: string): Promise<void> {
  const bundles = new ReplayBundles();
  const counts = { records: 0, differing: 0 };
  const unrepeatable = new Map<string, number>();
  let isClosed = false;
  for await (const { text } of linesOf(file, 'deciding again')) {
    const line = parseExportLine(text);
    if (line === null) throw untold(`\`${file}\` is no export; verify it with \`writecheck audit verify\``);
    if (line.kind === 'trailer') isClosed = true;
    if (line.kind === 'bundle') bundles.add(line.digest, line.documents);
    if (line.kind !== 'entry' || line.record === undefined) continue;
    counts.records += 1;
    const leaf = decodeBase64(line.leaf);
    const record = decodeBase64(line.record);
    const entry = leaf === null ? null : parseEntry(leaf);
    if (record === null || entry?.kind !== 'decision') throw untold(`entry ${line.index} cannot be read`);
    const replayed = replayRecord(record, entry.leaf, bundles);
    if (replayed.kind === 'same') continue;
    if (replayed.kind === 'unrepeatable') {
      unrepeatable.set(replayed.engine, (unrepeatable.get(replayed.engine) ?? 0) + 1);
      continue;
    }
    counts.differing += 1;
    print(`entry ${line.index} of log \`${line.log}\` (${entry.leaf.decision_id}): ${replayed.message}`);
  }
  if (!isClosed) throw untold(`\`${file}\` ends before its trailer: the file was cut`);
  const all = `${counts.records} ${counts.records === 1 ? 'record' : 'records'}`;
  if (counts.differing > 0) {
    throw new CommandFailure(`${counts.differing} of ${all} are decided otherwise now`, NOT_SO);
  }
  if (unrepeatable.size > 0) {
    const told = [...unrepeatable].map(
      ([engine, count]) =>
        `${count} of ${all} ${count === 1 ? 'was' : 'were'} recorded by engine ${engine}, which this version cannot repeat`,
    );
    throw untold(`${told.join('; ')}; replay them with the version of writecheck that recorded them`);
  }
  print(`decided again: ${all}, every one the same to the byte`);
}

const jsonOrNull = (text: string): string | null => {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
