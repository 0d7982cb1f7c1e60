/** The bundles that records were decided under, compiled when first needed; the last few are kept. */
import type { LogReading } from '@writecheck/store/port/log-reading';
import { noBundleOf, type ReplayBundle, replayBundle } from './replay-bundle.ts';

/** Records come in order of time, so only bundles that ran at about the same time alternate. */
const KEPT = 4;

export class RecordedBundles {
  readonly #reading: Pick<LogReading, 'documentsOf'>;
  readonly #workspace: string;
  /** Bundles by digest, the newest last; null if the store has no bundle that compiles to the digest. */
  readonly #bundles = new Map<string, ReplayBundle | null>();

  constructor(reading: Pick<LogReading, 'documentsOf'>, workspace: string) {
    this.#reading = reading;
    this.#workspace = workspace;
  }

  /**
   * Fetches the bundle of the next record; null if it is there. Awaiting nothing for each record takes a tenth of a
   * run (`npm run bench -- impact`).
   */
  need(digest: string | null): Promise<void> | null {
    return digest === null || this.#bundles.has(digest) ? null : this.#fetch(digest);
  }

  async #fetch(digest: string): Promise<void> {
    const text = await this.#reading.documentsOf(this.#workspace, digest);
    const bundle = text === null ? null : replayBundle(text);
    this.#bundles.set(digest, bundle?.snapshot.digest === digest ? bundle : null);
    if (this.#bundles.size > KEPT) this.#bundles.delete(this.#bundles.keys().next().value!);
  }

  /** Null if the store has none that compiles. */
  readonly of = (digest: string | null, engine: string): ReplayBundle | null =>
    digest === null ? noBundleOf(engine) : (this.#bundles.get(digest) ?? null);
}
