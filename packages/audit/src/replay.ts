/** `replay`: decides every record of an export again, offline. */
import { decodeBase64 } from '@writecheck/ledger';
import { entryIn, exportLinesOf } from './export-lines.ts';
import { notVerified, undetermined } from './fail.ts';
import { print } from './print.ts';
import { ReplayBundles, replayRecord } from './replay-record.ts';

export async function replayCommand(file: string): Promise<void> {
  const bundles = new ReplayBundles();
  const counts = { records: 0, differing: 0 };
  const unrepeatable = new Map<string, number>();
  for await (const line of exportLinesOf(file, 'deciding again')) {
    if (line.kind === 'bundle') bundles.add(line.digest, line.documents);
    if (line.kind !== 'entry' || line.record === undefined) continue;
    const record = decodeBase64(line.record);
    const entry = entryIn(line);
    if (record === null || entry === null) throw undetermined(`entry ${line.index} cannot be read`);
    // Freezes, outcomes and corrections also have a record, which holds their texts; they contain no decision.
    if (entry.kind !== 'decision') continue;
    counts.records += 1;
    const replayed = replayRecord(record, entry.leaf, bundles);
    if (replayed.kind === 'same') continue;
    if (replayed.kind === 'unrepeatable') {
      unrepeatable.set(replayed.engine, (unrepeatable.get(replayed.engine) ?? 0) + 1);
      continue;
    }
    counts.differing += 1;
    print(`entry ${line.index} of log \`${line.log}\` (${entry.leaf.decision_id}): ${replayed.message}`);
  }
  const all = `${counts.records} ${counts.records === 1 ? 'record' : 'records'}`;
  if (counts.differing > 0) {
    throw notVerified(`${counts.differing} of ${all} are now decided differently`);
  }
  if (unrepeatable.size > 0) {
    const told = [...unrepeatable].map(
      ([engine, count]) =>
        `${count} of ${all} ${count === 1 ? 'was' : 'were'} recorded by engine ${engine}, which this version cannot repeat`,
    );
    throw undetermined(`${told.join('; ')}; replay them with the version of writecheck that recorded them`);
  }
  print(`decided again: ${all}, all identical to the byte`);
}
