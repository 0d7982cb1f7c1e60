/**
 * Adds up an impact report, record by record. INVARIANT: the matrix of decisions sums to `replayed`, and `replayed` and
 * `notReplayed` to `decisions`.
 */
import type { Cells, Changed, ImpactReport } from '@writecheck/api';
import { DECISIONS, type WriteIntent } from '@writecheck/contract';
import type { Outcome, PolicyDocument } from '@writecheck/engine';

export type NotReplayed = keyof ImpactReport['coverage']['notReplayed'];

const EXAMPLES_MAX = 50;
/** A caller can write any number of kinds. */
const KINDS_SHOWN_MAX = 1_000;
const PREFIX = 'sha256:'.length;
const HASH_DIGITS = 13;

/** A decision that was decided again. */
export interface Replayed {
  readonly decisionId: string;
  readonly intentDigest: string;
  readonly intent: Pick<WriteIntent, 'system' | 'objectType' | 'field' | 'operation'>;
  readonly before: Outcome;
  readonly after: Outcome;
}

class Tally {
  decisions = 0;
  readonly #digests = new Set<number>();

  add(digest: number): void {
    this.decisions += 1;
    this.#digests.add(digest);
  }

  get counts() {
    return { decisions: this.decisions, intents: this.#digests.size };
  }
}

export class CountReport {
  readonly #notReplayed = { pruned: 0, version: 0, evidence: 0, frozen: 0, facts: 0 };
  #replayed = 0;
  readonly #cells = new Map<string, Tally>();
  readonly #stopped = new CountChanged();
  readonly #allowed = new CountChanged();
  readonly #uncovered = new Map<string, { decisions: number; readonly intent: Replayed['intent'] }>();
  readonly #rules = new Map<string, { applied: number; decided: number }>();

  constructor(candidate: readonly PolicyDocument[]) {
    const rules = candidate.flatMap((document) =>
      document.kind === 'Profile' || document.kind === 'Workflow' || document.kind === 'Limit'
        ? [`${document.kind.toLowerCase()}:${document.id}`]
        : [],
    );
    for (const rule of rules.sort()) this.#rules.set(rule, { applied: 0, decided: 0 });
  }

  notReplayed(reason: NotReplayed, decisions = 1): void {
    this.#notReplayed[reason] += decisions;
  }

  replayed(one: Replayed): void {
    const { intent, before, after } = one;
    this.#replayed += 1;
    const digest = hashOf(one.intentDigest);
    tallyOf(this.#cells, `${before.decision} ${after.decision}`).add(digest);
    for (const rule of after.applied) this.#rules.get(rule)!.applied += 1;
    for (const rule of after.deciding) this.#rules.get(rule)!.decided += 1;
    if (!after.isCovered) {
      const name = JSON.stringify([intent.system, intent.objectType, intent.field, intent.operation]);
      const known = this.#uncovered.get(name);
      if (known === undefined) this.#uncovered.set(name, { intent, decisions: 1 });
      else known.decisions += 1;
    }
    const wasAllowed = before.decision === 'allow';
    if (wasAllowed === (after.decision === 'allow')) return;
    if (wasAllowed) this.#stopped.add(one, digest, after);
    else this.#allowed.add(one, digest, before);
  }

  get decisions(): number {
    return Object.values(this.#notReplayed).reduce((sum, count) => sum + count, this.#replayed);
  }

  get shown(): ImpactReport {
    return {
      coverage: {
        decisions: this.decisions,
        replayed: this.#replayed,
        notReplayed: { ...this.#notReplayed },
      },
      matrix: { decisions: this.#cellsOf('decisions'), intents: this.#cellsOf('intents') },
      newlyStopped: this.#stopped.shown,
      newlyAllowed: this.#allowed.shown,
      uncovered: mostFirst(this.#uncovered)
        .slice(0, KINDS_SHOWN_MAX)
        .map(([, { intent, decisions }]) => ({
          system: intent.system,
          objectType: intent.objectType ?? null,
          field: intent.field ?? null,
          operation: intent.operation ?? null,
          decisions,
        })),
      rules: Array.from(this.#rules, ([rule, counts]) => ({ rule, ...counts })),
    };
  }

  #cellsOf(counted: 'decisions' | 'intents'): Cells {
    const row = (before: string) =>
      Object.fromEntries(
        DECISIONS.map((after) => [after, this.#cells.get(`${before} ${after}`)?.counts[counted] ?? 0]),
      );
    return Object.fromEntries(DECISIONS.map((before) => [before, row(before)])) as unknown as Cells;
  }
}

/** Counts the decisions that change between allowed and stopped. */
class CountChanged {
  readonly #all = new Tally();
  readonly #byCode = new Map<string, Tally>();
  readonly #byRule = new Map<string, Tally>();
  /** Examples by digest, newest last. */
  readonly #examples = new Map<string, Changed['examples'][number]>();

  /** `stopping` is the side that stops the write. */
  add({ decisionId, intentDigest, before, after }: Replayed, digest: number, stopping: Outcome): void {
    this.#all.add(digest);
    tallyOf(this.#byCode, stopping.reasonCode).add(digest);
    for (const rule of stopping.deciding) tallyOf(this.#byRule, rule).add(digest);
    this.#examples.delete(intentDigest);
    this.#examples.set(intentDigest, {
      decision_id: decisionId,
      before: { decision: before.decision, reason_code: before.reasonCode },
      after: { decision: after.decision, reason_code: after.reasonCode },
    });
    if (this.#examples.size > EXAMPLES_MAX) this.#examples.delete(this.#examples.keys().next().value!);
  }

  get shown(): Changed {
    return {
      ...this.#all.counts,
      byCode: mostFirst(this.#byCode).map(([code, { counts }]) => ({ code, ...counts })),
      byRule: mostFirst(this.#byRule).map(([rule, { counts }]) => ({ rule, ...counts })),
      examples: [...this.#examples.values()].reverse(),
    };
  }
}

/** A number that stands for a digest. A million digests have a million numbers in all but one run of nine thousand. */
function hashOf(digest: string): number {
  return Number.parseInt(digest.slice(PREFIX, PREFIX + HASH_DIGITS), 16);
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? new Tally();
  tallies.set(name, tally);
  return tally;
}

/** Ties are ordered by name, so that the same decisions always give the same report. */
function mostFirst<T extends { readonly decisions: number }>(counted: ReadonlyMap<string, T>): [string, T][] {
  return [...counted].sort(([a, one], [b, other]) => other.decisions - one.decisions || (a < b ? -1 : 1));
}
