/** `verify`: checks files offline, without a running service. */
import { rename, writeFile } from 'node:fs/promises';
import { given, intentDigest, parseIntent } from '@writecheck/contract';
import {
  type EntryRefusal,
  type ExportVerdict,
  ExportVerifier,
  type Leaf,
  parseExportLine,
  parseReceipt,
  type Unread,
  verifyEntry,
  verifyExtension,
} from '@writecheck/ledger';
import { notVerified, undetermined } from './fail.ts';
import { keysOf, knownCheckpoints, linesOf, textOf } from './files.ts';
import { FrozenAllows } from './frozen-allows.ts';
import { sha256 } from './native-sha256.ts';
import { print } from './print.ts';

export interface VerifyOptions {
  readonly keys: readonly string[];
  readonly known?: readonly string[];
  readonly since?: readonly string[];
  readonly keep?: string;
  readonly continued?: readonly string[];
  readonly workspace?: string;
  readonly intent?: string;
  readonly proof?: string;
}

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

async function requireStopped(file: string, frozen: FrozenAllows): Promise<void> {
  for await (const { text } of linesOf(file, 'comparing with freezes')) {
    const fault = frozen.faultOf(parseExportLine(text)!);
    if (fault !== null) throw notVerified(fault);
  }
}

async function verifyExportFile(
  file: string,
  { known = [], since = [], keep, continued, workspace }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const verifier = new ExportVerifier({
    keys,
    knownCheckpoints: await knownCheckpoints([...known, ...since]),
    continued: continued ?? [],
    sha256,
    ...given({ workspace }),
  });
  const frozen = new FrozenAllows();
  let ends: readonly string[] = [];
  for await (const { text } of linesOf(file, 'verifying')) {
    await verifier.push(text);
    if (verifier.fault !== null) break;
    const line = parseExportLine(text)!;
    frozen.learn(line);
    if (line.kind === 'header') ends = line.logs.map(({ checkpoint }) => checkpoint);
  }
  const verdict = verifier.finish();
  // Not a sign of tampering: the export may be from another night.
  if (!verdict.ok && verdict.fault.code === 'untrusted_start')
    throw undetermined(`${verdict.words}; it was made with other checkpoints than \`--since\` gives here`);
  if (!verdict.ok) throw notVerified(withHint(verdict));
  if (frozen.areAny) await requireStopped(file, frozen);
  print(verdict.words);
  for (const line of unreadLines(verdict.unread)) print(`  ${line}`);
  for (const { log, size, root } of verdict.logs) print(`  log \`${log}\`: ${size} entries, root ${root}`);
  for (const { log, known: seen, size, by } of verdict.losses) {
    print(
      `  lost: ${seen - size} of the ${seen} entries known of log \`${log}\`, which log \`${by}\` continues`,
    );
  }
  for (const { credential, person, registeredAt, invitedBy, verdicts } of verdict.passkeys) {
    const inviter = invitedBy === null ? 'nobody named' : `${invitedBy.kind} \`${invitedBy.id}\``;
    print(
      `  passkey \`${credential}\` of \`${person}\`: registered ${registeredAt} on the invitation of ${inviter}, ` +
        `signed ${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'}`,
    );
  }
  // INVARIANT: comes last, so that only verified checkpoints are trusted the next night.
  if (keep !== undefined) await keepCheckpoints(keep, ends);
}

/** What an export since trusted checkpoints cannot show; empty for a whole one. */
function unreadLines({ entries, verdicts, checkpoints }: Unread): readonly string[] {
  if (entries === 0) return [];
  return [
    `not read: the ${entries} entries before the trusted checkpoints. Their records, and the stored hashes below the trusted roots, were not checked`,
    'not found: an allow under a freeze from before them, and a second redemption of one from before them. Verify a whole export for that',
    ...(verdicts === 0 ? [] : [`not checked: ${verdicts} verdicts of passkeys registered before them`]),
    ...(checkpoints === 0 ? [] : [`not compared: ${checkpoints} known checkpoints that are older`]),
  ];
}

/** Writes the file completely or not at all, because the next run trusts it. */
async function keepCheckpoints(file: string, notes: readonly string[]): Promise<void> {
  const text = notes.map((checkpoint) => `${JSON.stringify({ checkpoint })}\n`).join('');
  try {
    await writeFile(`${file}.part`, text, { mode: 0o600 });
    await rename(`${file}.part`, file);
  } catch {
    throw undetermined(`verified, but the checkpoints could not be written to \`${file}\``);
  }
}

function withHint({ words, fault }: Extract<ExportVerdict, { ok: false }>): string {
  const { continuedBy: by } = fault;
  if (by === undefined) return words;
  return `${words}; log \`${by}\` continues from there: if this loss is known to you, add \`--continued ${by}\``;
}

async function verifyReceiptFile(
  file: string,
  { workspace, intent }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const leaf = await provenLeaf(JSON.parse(jsonOrNull(await textOf(file)) ?? 'null'), keys, file);
  const refuse = (why: string): never => {
    throw notVerified(`not verified: ${why}`);
  };
  if (workspace !== undefined && leaf.workspace !== workspace) {
    refuse(`the decision was made in workspace \`${leaf.workspace}\``);
  }
  if (intent !== undefined) {
    const parsed = parseIntent(Buffer.from(await textOf(intent)));
    if (parsed.kind === 'refused')
      throw undetermined(`\`${intent}\` is not a valid intent: ${parsed.message}`);
    if (intentDigest(parsed.intent) !== leaf.intentDigest) refuse('the decision is about another write');
  }
  print(
    `verified: ${leaf.decision} (${leaf.reason_code}) of ${leaf.timestamp} is in log \`${leaf.log}\`: ` +
      `decision \`${leaf.decision_id}\` of workspace \`${leaf.workspace}\``,
  );
  if (intent === undefined) print(`  for the write with the digest ${leaf.intentDigest}`);
}

async function provenLeaf(value: unknown, lines: readonly string[], file: string): Promise<Leaf> {
  if (parseReceipt(value) === null) throw undetermined(`\`${file}\` is neither an export nor a receipt`);
  const verdict = await verifyEntry(value, lines);
  if (verdict.ok && verdict.entry.kind === 'decision') return verdict.entry.leaf;
  const isOfCheckpoint = !verdict.ok && OF_CHECKPOINT.includes(verdict.reason);
  throw notVerified(
    `not verified: ${isOfCheckpoint ? verdict.message : 'the proof does not lead from the decision to the checkpoint'}`,
  );
}

const OF_CHECKPOINT: readonly EntryRefusal[] = ['malformed_checkpoint', 'unknown_signer', 'bad_signature'];

async function verifyTwo(
  older: string,
  newer: string,
  { proof }: VerifyOptions,
  keys: readonly string[],
): Promise<void> {
  const read = JSON.parse((proof === undefined ? null : jsonOrNull(await textOf(proof))) ?? '{"proof":[]}');
  if (!Array.isArray(read?.proof)) throw undetermined(`\`${proof}\` holds no proof`);
  const claim = { older: await textOf(older), newer: await textOf(newer), proof: read.proof, keys };
  const verdict = await verifyExtension(claim);
  if (!verdict.ok) throw notVerified(`not verified: ${verdict.message}`);
  print(
    `verified: the ${verdict.newer.size} entries of log \`${verdict.newer.log}\` begin with the ${verdict.older.size} earlier ones`,
  );
}

function jsonOrNull(text: string): string | null {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}
