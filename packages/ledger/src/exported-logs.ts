/**
 * The logs of an export and every checkpoint that must hold in them: those that the header names, those that a log
 * continues from, and those that the reader knew beforehand.
 */
import { decodeBase64 } from '@writecheck/contract';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import type { ExportHeader } from './export-line.ts';
import type { ExportFault, Loss } from './export-verdict.ts';
import { Frontier } from './frontier.ts';
import { LogReplay } from './log-replay.ts';
import type { Sha256 } from './sha256.ts';
import type { VerifierKey } from './verifier-key.ts';

/** Its line is the one being read, unless it says otherwise. */
export type Problem = Omit<ExportFault, 'line'> & { readonly line?: number };

export interface ExportedLog {
  readonly end: Checkpoint;
  readonly replay: LogReplay;
  readonly continues: string | undefined;
}

export interface KnownBeforehand {
  readonly knownCheckpoints?: readonly string[];
  readonly continued?: readonly string[];
}

export class ExportedLogs {
  readonly #known: KnownBeforehand;
  readonly #keys: readonly VerifierKey[];
  readonly #hash: Sha256;
  readonly #logs = new Map<string, ExportedLog>();
  /** Maps a log to the log that continues it. */
  readonly #continuedBy = new Map<string, string>();
  readonly #losses = new Map<string, Loss>();
  /** Logs that begin at a checkpoint known beforehand. */
  readonly #trusted = new Set<string>();
  #olderKnown = 0;

  constructor(known: KnownBeforehand, keys: readonly VerifierKey[], hash: Sha256) {
    this.#known = known;
    this.#keys = keys;
    this.#hash = hash;
  }

  /** A log that the header names, or the error that it names no such log. */
  get(log: string): ExportedLog | Problem {
    return this.#logs.get(log) ?? { code: 'unknown_log', message: 'the header names no such log', log };
  }

  get ends(): readonly Checkpoint[] {
    return [...this.#logs.values()].map(({ end }) => end);
  }

  get losses(): readonly Loss[] {
    return [...this.#losses.values()];
  }

  /** Entries before the trusted checkpoints that the logs begin at. */
  get skipped(): number {
    return [...this.#logs.values()].reduce((sum, { replay }) => sum + replay.since, 0);
  }

  /** Checkpoints known beforehand that lie before the begin of their log. */
  get olderKnown(): number {
    return this.#olderKnown;
  }

  async start(named: ExportHeader['logs']): Promise<Problem | null> {
    for (const { log, checkpoint, continues, since } of named) {
      const opened = await this.#open(checkpoint, log);
      if ('code' in opened) return opened;
      if (this.#logs.has(log)) return { code: 'malformed_line', message: 'the log is listed twice', log };
      const begun = since === undefined ? new Frontier(this.#hash) : this.#frontierOf(since);
      if (begun === null)
        return { code: 'malformed_line', message: 'the state that the log begins with cannot be read', log };
      const replay = new LogReplay(opened, this.#hash, begun);
      // INVARIANT: only the log's first entry proves that it continues another.
      this.#logs.set(log, { end: opened, replay, continues: begun.size === 0 ? continues : undefined });
    }
    for (const [log, { continues }] of this.#logs) {
      if (continues === undefined) continue;
      const opened = await openCheckpoint(continues, this.#keys);
      if (opened.kind === 'checkpoint') this.#continuedBy.set(opened.checkpoint.log, log);
    }
    const unknown = await this.#expectKnown();
    if (unknown !== null) return unknown;
    // INVARIANT: comes before any checkpoint from the export itself, so that the export cannot vouch for its
    // own begin.
    for (const [log, { replay }] of this.#logs) {
      if (replay.since === 0 || this.#trusted.has(log)) continue;
      const message = `the log begins after ${replay.since} entries, and no checkpoint of that size is known beforehand`;
      return { code: 'untrusted_start', message, log };
    }
    for (const [log, { continues }] of this.#logs) {
      if (continues === undefined) continue;
      const problem = await this.#expect(continues, `the checkpoint that \`${log}\` continues from`);
      if (problem !== null) return problem;
    }
    for (const [log, { replay }] of this.#logs) {
      const fault = replay.start();
      if (fault !== null) return { ...fault, log };
    }
    return null;
  }

  /** Checks a signed checkpoint against the entries so far. */
  async checkHere(log: string, note: string): Promise<Problem | null> {
    const state = this.get(log);
    if ('code' in state) return state;
    const opened = await this.#open(note, log);
    if ('code' in opened) return opened;
    const fault = state.replay.checkHere(opened);
    return fault === null ? null : { ...fault, log };
  }

  finish(): Problem | null {
    for (const [log, { replay }] of this.#logs) {
      const fault = replay.finish();
      if (fault !== null) return { ...fault, log };
    }
    return null;
  }

  /** A checkpoint of one particular log, or the reason why it is invalid. */
  async #open(note: string, log: string): Promise<Checkpoint | Problem> {
    const opened = await openCheckpoint(note, this.#keys);
    if (opened.kind === 'refused') return { code: opened.reason, message: opened.message, log };
    if (opened.checkpoint.log === log) return opened.checkpoint;
    return {
      code: 'log_mismatch',
      message: `the checkpoint belongs to log \`${opened.checkpoint.log}\``,
      log,
    };
  }

  /** The largest first, so that a loss is reported at its full known size. */
  async #expectKnown(): Promise<Problem | null> {
    const what = 'a checkpoint known beforehand';
    const known: Checkpoint[] = [];
    for (const note of this.#known.knownCheckpoints ?? []) {
      const opened = await openCheckpoint(note, this.#keys);
      if (opened.kind === 'refused') return { code: opened.reason, message: `${what}: ${opened.message}` };
      known.push(opened.checkpoint);
    }
    for (const checkpoint of known.sort((a, b) => b.size - a.size)) {
      const since = this.#logs.get(checkpoint.log)?.replay.since ?? 0;
      if (checkpoint.size === since) this.#trusted.add(checkpoint.log);
      if (checkpoint.size < since) this.#olderKnown += 1;
      const problem = this.#expectOpened(checkpoint, what);
      if (problem?.code !== 'rolled_back') {
        if (problem !== null) return problem;
        continue;
      }
      const { log, size } = checkpoint;
      const by = this.#continuedBy.get(log);
      if (by === undefined) return problem;
      if (!this.#known.continued?.includes(by)) return { ...problem, continuedBy: by };
      if (!this.#losses.has(log))
        this.#losses.set(log, { log, known: size, size: this.#logs.get(log)!.end.size, by });
    }
    return null;
  }

  #frontierOf(text: string): Frontier | null {
    const bytes = decodeBase64(text);
    return bytes === null ? null : Frontier.fromBytes(bytes, this.#hash);
  }

  async #expect(note: string, what: string): Promise<Problem | null> {
    const opened = await openCheckpoint(note, this.#keys);
    if (opened.kind === 'refused') return { code: opened.reason, message: `${what}: ${opened.message}` };
    return this.#expectOpened(opened.checkpoint, what);
  }

  #expectOpened(checkpoint: Checkpoint, what: string): Problem | null {
    const { log } = checkpoint;
    const state = this.#logs.get(log);
    if (state === undefined) {
      return { code: 'unknown_log', message: `${what} belongs to a log that is not in the export`, log };
    }
    const fault = state.replay.expect(checkpoint);
    return fault === null ? null : { ...fault, message: `${what}: ${fault.message}`, log };
  }
}
