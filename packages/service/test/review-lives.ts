/** Random lives of reviews, in the model and in the real code: every result and every state must be the same. */
import type { ReviewRule } from '@writecheck/engine';
import { seededDice } from '../../engine/test/dice.ts';
import { evidenceOf } from '../src/reviews/approval.ts';
import type { Author, Identity, Standing } from '../src/reviews/author.ts';
import { cancel, comment } from '../src/reviews/cancel-review.ts';
import { judgeVerdict, withdraw } from '../src/reviews/judge-verdict.ts';
import { type Opened, openReview, reopen } from '../src/reviews/open-review.ts';
import type { Changed, Outcome } from '../src/reviews/outcome.ts';
import { type Review, reviewOf, rowOf } from '../src/reviews/review.ts';
import { factsOf } from '../src/reviews/review-facts.ts';
import { settle } from '../src/reviews/settle-review.ts';
import { type ModelRule, type ModelRules, type ModelVoter, ReviewModel } from './review-model.ts';
import { AGENT, askedFor, DIGEST, MINUTE, OWNER, ruleOf, T0 } from './review-values.ts';

const IDENTITIES: readonly Identity[] = ['any', 'person', 'passkey'];
const STEPS = 14;

const REAL_RULES = new Map<ModelRule, ReviewRule>();

function realRule(rule: ModelRule): ReviewRule {
  const made = REAL_RULES.get(rule);
  if (made !== undefined) return made;
  const { group, approvals, strength, openFor, goodFor, self } = rule;
  const real = ruleOf({
    groups: group === null ? null : [group],
    approvals,
    identity: IDENTITIES[strength]!,
    expiresInMs: openFor * MINUTE,
    holdsForMs: goodFor * MINUTE,
    selfReview: self,
  });
  REAL_RULES.set(rule, real);
  return real;
}

/** The real code with the least of a store around it: the newest review last. */
class World {
  readonly model: ReviewModel;
  reviews: Review[] = [];

  constructor(model: ReviewModel) {
    this.model = model;
  }

  get nowMs(): number {
    return T0 + this.model.now * MINUTE;
  }

  readonly controlOf = (controlId: string) => {
    const rule = this.model.rules[controlId];
    return { review: rule === undefined ? null : realRule(rule), maxAgeMs: null };
  };

  readonly standingOf = ({ id }: Author): Standing | null => {
    const voter = this.model.voters.find(({ who }) => who === id || (who === 'owners' && id === OWNER.id));
    if (voter === undefined) return null;
    const { group, strength, asked } = voter;
    return { groups: group === null ? [] : [group], identity: IDENTITIES[strength]!, hasAsked: asked };
  };

  /** What a store does: keeps the row, and only if it was made from the newest version. */
  #keep({ review }: Changed): void {
    const kept = reviewOf({ ...rowOf(review), isUsed: review.isUsed });
    const at = this.reviews.findIndex(({ id }) => id === review.id);
    if (at === -1) this.reviews.push(kept);
    else if (this.reviews[at]!.version + 1 === review.version) this.reviews[at] = kept;
    else throw new Error('a change was made from a version that is not the newest');
    if (this.reviews.filter(({ state }) => state === 'open').length > 1) throw new Error('two are open');
  }

  #settle(): void {
    for (const review of this.reviews) {
      const outcome = settle(review, this.controlOf, this.nowMs);
      if (outcome.kind === 'changed') this.#keep(outcome);
    }
  }

  act(happen: (review: Review) => Outcome): string {
    this.#settle();
    const outcome = happen(this.reviews.at(-1)!);
    if (outcome.kind === 'changed') this.#keep(outcome);
    return outcome.kind === 'refused'
      ? outcome.code
      : outcome.kind === 'unchanged'
        ? 'same'
        : outcome.entries.at(-1)!.event;
  }

  open(how: (existing: readonly Review[]) => Opened): string {
    this.#settle();
    const opened = how(this.reviews.toReversed());
    if (opened.kind === 'refused') return opened.code;
    if (opened.kind === 'opened') for (const also of opened.also) this.#keep(also);
    if (opened.outcome.kind === 'changed') this.#keep(opened.outcome);
    if (opened.kind === 'opened') return 'opened';
    return opened.outcome.kind === 'changed' ? 'joined' : 'same';
  }

  use(): string {
    const review = this.reviews.at(-1)!;
    if (review.resolvedAtMs === null || review.validUntilMs === null) return 'untrusted';
    const { controlOf, standingOf, nowMs } = this;
    const check = {
      workspace: 'ws_1',
      intentDigest: DIGEST,
      keyKind: 'live',
      controlOf,
      standingOf,
      nowMs,
    } as const;
    const facts = evidenceOf(review).map((item) => factsOf(item, review, check));
    if (!facts.every(({ kind }) => kind === 'verified')) return 'untrusted';
    this.reviews[this.reviews.length - 1] = { ...review, isUsed: true };
    return 'used';
  }

  states(): string {
    const shown = this.reviews.map((review) => {
      const { state, because } = settle(review, this.controlOf, this.nowMs).review;
      return because === null ? state : `${state}:${because}`;
    });
    return shown.join(' ');
  }
}

const RULES: readonly ModelRule[] = [
  { group: null, approvals: 1, strength: 0, openFor: 30, goodFor: 20, self: false },
  { group: null, approvals: 2, strength: 0, openFor: 60, goodFor: 10, self: false },
  { group: 'x', approvals: 1, strength: 1, openFor: 45, goodFor: 15, self: false },
  { group: 'x', approvals: 2, strength: 1, openFor: 20, goodFor: 30, self: true },
  { group: null, approvals: 1, strength: 2, openFor: 90, goodFor: 60, self: true },
];
const VOTERS: readonly ModelVoter[] = [
  { who: 'owners', group: null, strength: 0, asked: false },
  { who: 'ada', group: 'x', strength: 1, asked: false },
  { who: 'bob', group: 'x', strength: 2, asked: false },
  { who: 'cy', group: 'x', strength: 1, asked: true },
  { who: 'dee', group: null, strength: 2, asked: false },
];

function authorOf({ who }: ModelVoter): Author {
  return who === 'owners' ? OWNER : { kind: 'person', id: who };
}

/** One life; what went wrong, or null. Counts what happened, so that the test can see that everything did. */
function liveOnce(seed: number, stream: number, seen: Map<string, number>): string | null {
  const dice = seededDice(seed, stream);
  const someRules = (): ModelRules =>
    dice.chance(50) ? { a: dice.pick(RULES) } : { a: dice.pick(RULES), b: dice.pick(RULES) };
  const model = new ReviewModel(someRules(), VOTERS);
  const world = new World(model);
  const told: string[] = [];
  let made = 0;
  const circumstances = () => ({
    controlOf: world.controlOf,
    standingOf: world.standingOf,
    nowMs: world.nowMs,
    newId: () => `rev_${stream.toString(16).padStart(16, '0')}${(made++).toString(16).padStart(16, '0')}`,
  });
  const asOpen = (asker: string) => (existing: readonly Review[]) => {
    // A removed control cannot be requested: the decision that asks is of the running policy.
    const asked = askedFor(Object.keys(model.rules), { keyId: asker });
    return openReview(asked, existing, circumstances());
  };
  const acts: { readonly [name: string]: () => readonly [string, string] } = {
    open: () => {
      const asker = `key_${dice.roll(3)}`;
      return [model.open(asker), world.open(asOpen(asker))];
    },
    vote: () => {
      const voter = dice.pick(model.voters);
      const verdict = dice.chance(80) ? 'approve' : 'reject';
      const given = {
        verdict,
        by: authorOf(voter),
        intentDigest: DIGEST,
        comment: 'x',
        isAsserted: false,
      } as const;
      const real = world.act((review) => judgeVerdict(review, given, world.standingOf, world.nowMs));
      return [model.vote(voter, verdict), real === 'verdict' ? 'counted' : real];
    },
    withdraw: () => {
      const voter = dice.pick(model.voters);
      return [
        model.withdraw(voter.who),
        world.act((review) => withdraw(review, authorOf(voter), world.nowMs)),
      ];
    },
    cancel: () => {
      const by = dice.chance(50) ? 'agent' : 'owner';
      const who = by === 'agent' ? AGENT : OWNER;
      return [
        model.cancel(by),
        world.act((review) => cancel(review, who, null, world.standingOf, world.nowMs)),
      ];
    },
    comment: () => [model.comment(), world.act((review) => comment(review, AGENT, 'x', world.nowMs))],
    reopen: () => [
      model.reopen(),
      world.open((existing) => reopen(existing[0]!, null, OWNER, 'again', circumstances())),
    ],
    use: () => [model.use(), world.use()],
    wait: () => {
      model.now += dice.pick([1, 5, 10, 15, 20, 60, 1_440]);
      return ['-', '-'];
    },
    apply: () => {
      model.rules = someRules();
      return ['-', '-'];
    },
    people: () => {
      const changed = dice.roll(VOTERS.length - 1) + 1;
      const toggle = (voter: ModelVoter): ModelVoter =>
        dice.chance(50)
          ? { ...voter, group: voter.group === null ? 'x' : null }
          : { ...voter, asked: !voter.asked };
      model.voters = model.voters.map((voter, i) => (i === changed ? toggle(voter) : voter));
      return ['-', '-'];
    },
  };
  const names = [
    'open',
    'vote',
    'vote',
    'vote',
    'vote',
    'withdraw',
    'cancel',
    'comment',
    'reopen',
    'use',
    'use',
  ];
  const rarely = ['wait', 'apply', 'people'];
  const fault = (why: string) => `seed ${seed}, life ${stream}: ${why}; ${told.join(', ')}`;
  for (let step = 0; step < STEPS; step += 1) {
    const name = step === 0 ? 'open' : dice.chance(75) ? dice.pick(names) : dice.pick(rarely);
    let answers: readonly [string, string];
    try {
      answers = acts[name]!();
    } catch (error) {
      return fault(`${name} threw ${String(error)}`);
    }
    const [expected, real] = answers;
    told.push(`${name} ${expected}`);
    seen.set(told.at(-1)!, (seen.get(told.at(-1)!) ?? 0) + 1);
    if (expected !== real) return fault(`${name} should be ${expected} and was ${real}`);
    const wanted = model.lives.map((life) => life.state).join(' ');
    // The model ages only what is acted on; reading the real ones must not age them further.
    if (
      name !== 'wait' &&
      name !== 'apply' &&
      name !== 'people' &&
      name !== 'use' &&
      wanted !== world.states()
    ) {
      return fault(`the states should be ${wanted} and are ${world.states()}`);
    }
  }
  return null;
}

export function tortureReviews(lives: number, seed: number) {
  const seen = new Map<string, number>();
  const faults: string[] = [];
  for (let stream = 0; stream < lives && faults.length < 10; stream += 1) {
    const fault = liveOnce(seed, stream, seen);
    if (fault !== null) faults.push(fault);
  }
  return { faults, seen };
}

/** For `npm run torture -- reviews [lives] [seed]`. */
export async function torture(args: readonly string[]) {
  const [lives = 1_000_000, seed = Date.now() % 1_000_000] = args.map(Number);
  const { faults, seen } = tortureReviews(lives, seed);
  return {
    claim: 'every life of a review is that of the plain model',
    count: `${lives} lives of ${STEPS} steps, ${seen.size} kinds of answers`,
    seed: String(seed),
    faults,
  };
}
