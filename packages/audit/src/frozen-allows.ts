/** Finds allows that a freeze should have stopped: recorded under a number at which a matching freeze was active. */
import { parseIntent, type WriteIntent } from '@writecheck/contract';
import { compileFreeze, type FreezeMatcher } from '@writecheck/engine';
import { decodeBase64, type ExportLine, type RecordFields, readRecord } from '@writecheck/ledger';
import { entryIn } from './export-lines.ts';

interface KnownFreeze {
  readonly id: string;
  readonly number: number;
  readonly matches: FreezeMatcher;
}

export class FrozenAllows {
  readonly #freezes: KnownFreeze[] = [];
  /** The numbers of lifts, by freeze. */
  readonly #lifts = new Map<string, number>();
  /** Maps a key to the key that it replaced. */
  readonly #rotatedFrom = new Map<string, string>();

  get areAny(): boolean {
    return this.#freezes.length > 0;
  }

  /** The first time through the export: a freeze may be in a log that comes after the allow. */
  learn(line: ExportLine): void {
    const entry = entryIn(line);
    if (entry?.kind === 'freeze.created')
      this.#freezes.push({ id: entry.freeze, number: entry.number, matches: compileFreeze(entry.scope) });
    if (entry?.kind === 'freeze.lifted') this.#lifts.set(entry.freeze, entry.number);
    if (entry?.kind === 'key.rotated') this.#rotatedFrom.set(entry.replacement!, entry.key);
  }

  /** The second time through: the error of an entry, or null. */
  faultOf(line: ExportLine): string | null {
    if (line.kind !== 'entry' || line.record === undefined) return null;
    const bytes = decodeBase64(line.record);
    const entry = entryIn(line);
    if (bytes === null || entry?.kind !== 'decision' || entry.leaf.decision !== 'allow') return null;
    const found = recordIn(bytes);
    if (found === null)
      return `decision \`${entry.leaf.decision_id}\` was recorded by a newer version, so nobody can tell whether a freeze should have stopped it`;
    const { decisionId, freezeNumber, keyId, intentText } = found;
    // A program without freezes could record nothing while one was active.
    if (freezeNumber === undefined) return null;
    const parsed = parseIntent(new TextEncoder().encode(intentText));
    if (parsed.kind !== 'intent') return null;
    const id = this.activeFor(parsed.intent, keyId, freezeNumber);
    return id === null
      ? null
      : `decision \`${decisionId}\` allows under number ${freezeNumber}, at which freeze \`${id}\` was active`;
  }

  activeFor(intent: WriteIntent, keyId: string, number: number): string | null {
    const keyIds = [keyId];
    for (let from = this.#rotatedFrom.get(keyId); from !== undefined && !keyIds.includes(from); ) {
      keyIds.push(from);
      from = this.#rotatedFrom.get(from);
    }
    const isActive = (freeze: KnownFreeze): boolean =>
      freeze.number <= number && number < (this.#lifts.get(freeze.id) ?? Number.POSITIVE_INFINITY);
    return this.#freezes.find((freeze) => isActive(freeze) && freeze.matches(intent, keyIds))?.id ?? null;
  }
}

/** Null for a record of a newer version, about which nothing is known. */
function recordIn(record: Uint8Array): RecordFields | null {
  try {
    return readRecord(record);
  } catch {
    return null;
  }
}
