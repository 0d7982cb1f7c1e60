/** The erasures that an export shows, for an auditor who finds records missing. */
import { visible } from '@writecheck/contract';
import type { ExportLine, RecordsErasedEntry } from '@writecheck/ledger';
import { entryIn } from './export-lines.ts';

interface Erasure extends Pick<RecordsErasedEntry, 'timestamp' | 'by' | 'reason' | 'chosenBy' | 'before'> {
  entries: number;
  decisions: number;
}

export class Erasures {
  /** Erasures by id: one of many decisions has several entries. */
  readonly #all = new Map<string, Erasure>();

  add(line: ExportLine): void {
    // Most lines are decisions, and need no parsing.
    if (line.kind !== 'entry' || line.record !== undefined) return;
    const entry = entryIn(line);
    if (entry?.kind !== 'records.erased') return;
    const erasure = this.#all.get(entry.erasure) ?? { ...entry, entries: 0, decisions: 0 };
    erasure.entries += entry.entryCount;
    erasure.decisions += entry.decisionCount;
    this.#all.set(entry.erasure, erasure);
  }

  /** One line each, in the order of the export. */
  get lines(): readonly string[] {
    return [...this.#all].map(([id, { timestamp, by, reason, chosenBy, before, entries, decisions }]) => {
      const which = `chosen by ${chosenBy.map(visible).join(', ')}${before === null ? '' : ` before ${before}`}`;
      const who = `${visible(by.kind)} \`${visible(by.id)}\``;
      return `erased ${timestamp} by ${who} as \`${visible(id)}\`: ${entries} entries, ${decisions} of them decisions, ${which}: ${visible(reason)}`;
    });
  }
}
