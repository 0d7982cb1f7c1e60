/** Counts the decisions that change between allowed and stopped: how many, of whom, and for which reason. */
import type { Changed } from '@writecheck/api';
import type { Decision } from '@writecheck/contract';
import { DistinctCount, type Exactness, hashOf } from './distinct-count.ts';
import type { Side } from './replay-record.ts';

const EXAMPLES_MAX = 50;

/** The agent and the object of a decision. */
export interface Subject {
  readonly decisionId: string;
  readonly intentDigest: string;
  readonly keyId: string;
  readonly agent: string | undefined;
  readonly system: string;
  readonly objectType: string | undefined;
  readonly objectRef: string | undefined;
  readonly workflowId: string | undefined;
  /** What the log says, whatever the two bundles would decide. */
  readonly recorded: { readonly decision: Decision; readonly reason_code: string };
}

class Tally {
  decisions = 0;
  readonly intents: DistinctCount;

  constructor(exactness: Exactness) {
    this.intents = new DistinctCount(exactness);
  }

  add(digest: number): void {
    this.decisions += 1;
    this.intents.add(digest);
  }

  get counts() {
    return { decisions: this.decisions, intents: this.intents.count };
  }
}

export class CountChanged {
  readonly #exactness: Exactness;
  readonly #all: Tally;
  readonly #agents: DistinctCount;
  readonly #systems: DistinctCount;
  readonly #workflows: DistinctCount;
  readonly #objects: DistinctCount;
  readonly #recorded: { readonly [decision in Decision]: DistinctCount };
  readonly #byCode = new Map<string, Tally>();
  readonly #byProfile = new Map<string | null, Tally>();
  /** Examples by digest, newest last. */
  readonly #examples = new Map<string, Changed['examples'][number]>();

  constructor(exactness: Exactness) {
    this.#exactness = exactness;
    this.#all = new Tally(exactness);
    this.#agents = new DistinctCount(exactness);
    this.#systems = new DistinctCount(exactness);
    this.#workflows = new DistinctCount(exactness);
    this.#objects = new DistinctCount(exactness);
    this.#recorded = {
      allow: new DistinctCount(exactness),
      pause: new DistinctCount(exactness),
      block: new DistinctCount(exactness),
    };
  }

  /** `stopping` is the side that stops the write. */
  add(subject: Subject, digest: number, before: Side, after: Side, stopping: Side): void {
    const { system, workflowId, objectType = null, objectRef, agent, keyId } = subject;
    this.#all.add(digest);
    this.#tallyOf(this.#byCode, stopping.reasonCode).add(digest);
    this.#tallyOf(this.#byProfile, stopping.profileId).add(digest);
    this.#agents.add(hashOf(JSON.stringify(agent === undefined ? { keyId } : { agent })));
    this.#systems.add(hashOf(system));
    if (workflowId !== undefined) this.#workflows.add(hashOf(workflowId));
    if (objectRef !== undefined) this.#objects.add(hashOf(JSON.stringify([system, objectType, objectRef])));
    this.#recorded[subject.recorded.decision].add(digest);
    this.#examples.delete(subject.intentDigest);
    this.#examples.set(subject.intentDigest, {
      decision_id: subject.decisionId,
      before: { decision: before.decision, reason_code: before.reasonCode },
      after: { decision: after.decision, reason_code: after.reasonCode },
      recorded: subject.recorded,
    });
    if (this.#examples.size > EXAMPLES_MAX) this.#examples.delete(this.#examples.keys().next().value!);
  }

  shown(replayed: number): Changed {
    const { decisions, intents } = this.#all.counts;
    return {
      decisions,
      intents,
      share: replayed === 0 ? 0 : decisions / replayed,
      agents: this.#agents.count,
      systems: this.#systems.count,
      workflows: this.#workflows.count,
      objects: this.#objects.count,
      byCode: mostFirst(this.#byCode).map(([code, tally]) => ({ code, ...tally.counts })),
      byProfile: mostFirst(this.#byProfile).map(([profile, tally]) => ({ profile, ...tally.counts })),
      recorded: {
        allow: this.#recorded.allow.count,
        pause: this.#recorded.pause.count,
        block: this.#recorded.block.count,
      },
      examples: [...this.#examples.values()].reverse(),
    };
  }

  #tallyOf<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = new Tally(this.#exactness);
      tallies.set(key, tally);
    }
    return tally;
  }
}

/** Ties are ordered by name, so that the same decisions always give the same report. */
function mostFirst<Key extends string | null>(tallies: ReadonlyMap<Key, Tally>): readonly [Key, Tally][] {
  return [...tallies].sort(
    ([a, one], [b, other]) => other.decisions - one.decisions || ((a ?? '') < (b ?? '') ? -1 : 1),
  );
}
