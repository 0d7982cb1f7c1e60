/** Random lives of reviews, in the model and in the real code: every result and every state must be the same. */
import type { ReviewRule } from '@writecheck/engine';
import { KEY_EPOCH } from '@writecheck/store/port/people';
import { seededDice } from '../../../engine/test/dice.ts';
import { refuse } from '../../src/exchange/refusal.ts';
import type { ActResult, Changed } from '../../src/features/reviews/act-result.ts';
import { evidenceOf } from '../../src/features/reviews/approval.ts';
import type { Author, Identity, Standing } from '../../src/features/reviews/author.ts';
import { cancel, comment } from '../../src/features/reviews/cancel-review.ts';
import { type GivenVerdict, judgeVerdict, withdraw } from '../../src/features/reviews/judge-verdict.ts';
import { type Opened, openReview } from '../../src/features/reviews/open-review.ts';
import { type Review, reviewOf, rowOf } from '../../src/features/reviews/review.ts';
import { factsOf } from '../../src/features/reviews/review-facts.ts';
import { settle } from '../../src/features/reviews/settle-review.ts';
import { type ModelRule, type ModelRules, type ModelVoter, ReviewModel } from './review-model.ts';
import { AGENT, askedFor, DIGEST, MINUTE, NO_TERMS, OWNER, ruleOf, T0 } from './review-values.ts';

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

/** The real code with a minimal store around it: the newest review last. */
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
    const voter = this.model.voters.find((each) => authorOf(each).id === id);
    if (voter === undefined || !voter.there) return null;
    const { group, strength, asked, named, boss, reviews, gone } = voter;
    return {
      mayReview: reviews,
      isOwner: boss,
      groups: group === null ? [] : [group],
      identity: IDENTITIES[strength]!,
      hasAsked: asked,
      isExcludedByCaller: named,
      epoch: strength === 0 ? null : gone,
    };
  };

  readonly epochOf = (id: string): number | null => {
    const voter = this.model.voters.find((each) => authorOf(each).id === id);
    if (voter?.there !== true) return null;
    return voter.strength === 0 ? KEY_EPOCH : voter.gone;
  };

  /** What a store does: stores the row only if it was made from the newest version. */
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

  act(happen: (review: Review) => ActResult): string {
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

  use(keyOwners: readonly string[]): string {
    const review = this.reviews.at(-1)!;
    if (review.resolvedAtMs === null || review.validUntilMs === null) return 'untrusted';
    const { controlOf, epochOf, nowMs } = this;
    const check = {
      workspace: 'ws_1',
      intentDigest: DIGEST,
      keyKind: 'live',
      controlOf,
      epochOf,
      keyOwners,
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
const ONE = { asked: false, named: false, boss: false, reviews: true, there: true, gone: 0 };
const VOTERS: readonly ModelVoter[] = [
  { ...ONE, who: 'owners', group: null, strength: 0, boss: true },
  { ...ONE, who: 'ada', group: 'x', strength: 1 },
  { ...ONE, who: 'bob', group: 'x', strength: 2 },
  { ...ONE, who: 'cy', group: 'x', strength: 1, asked: true },
  { ...ONE, who: 'eve', group: 'x', strength: 1, named: true },
  { ...ONE, who: 'dee', group: null, strength: 2, boss: true },
];
/** Ada holds one of the requesting keys. */
function ownersOf(keyId: string): readonly string[] {
  return keyId === 'key_1' ? ['ada'] : [];
}
const FORGED = refuse('assertion_invalid', 'forged');

function signatureOf(signed: string | null): GivenVerdict['signature'] {
  if (signed === null) return null;
  if (signed === 'forged') return FORGED;
  const assertion = { id: 'passkey', clientDataJSON: '', authenticatorData: '', signature: '' };
  return { kind: 'signed', assertion, mark: signed };
}

/** An owner key that was revoked has a successor. */
function authorOf({ who, gone }: ModelVoter): Author {
  return who === 'owners' ? { ...OWNER, id: `${OWNER.id}_${gone}` } : { kind: 'person', id: who };
}

/** One life; returns what went wrong, or null. Counts what happened, so that the test can see that everything did. */
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
    epochOf: world.epochOf,
    ownersOfKey: ownersOf,
    nowMs: world.nowMs,
    newId: () => `rev_${stream.toString(16).padStart(16, '0')}${(made++).toString(16).padStart(16, '0')}`,
  });
  /** A new assertion, one that does not verify, or one that was sent before. */
  const sent: string[] = [];
  const someSignature = ({ strength }: ModelVoter): string | null => {
    if (strength < 2 || dice.chance(30)) return null;
    if (dice.chance(15)) return 'forged';
    if (sent.length > 0 && dice.chance(20)) return dice.pick(sent);
    sent.push(`mark ${sent.length}`);
    return sent.at(-1)!;
  };
  const terms = () => ({
    ...NO_TERMS,
    different: model.apart ? [['a', 'b']] : [],
    confirms: model.confirms ? 'a' : null,
  });
  const asOpen = (asker: string, onBehalfOf: string | null) => (existing: readonly Review[]) => {
    // A removed control cannot be requested: the decision is made under the running policy.
    const asked = askedFor(Object.keys(model.rules), { keyId: asker, onBehalfOf });
    return openReview({ ...asked, terms: terms(), by: { ...AGENT, id: asker } }, existing, circumstances());
  };
  const acts: { readonly [name: string]: () => readonly [string, string] } = {
    open: () => {
      const asker = `key_${dice.roll(3)}`;
      const name = dice.pick([null, null, 'one', 'other']);
      return [model.open(asker, name, ownersOf(asker)), world.open(asOpen(asker, name))];
    },
    vote: () => {
      const voter = dice.pick(model.voters);
      const verdict = dice.chance(80) ? 'approve' : 'reject';
      const signed = someSignature(voter);
      const given = {
        verdict,
        by: authorOf(voter),
        intentDigest: DIGEST,
        comment: 'x',
        signature: signatureOf(signed),
      } as const;
      const real = world.act((review) => judgeVerdict(review, given, world.standingOf, world.nowMs));
      return [model.vote(voter, verdict, signed), real === 'verdict' ? 'counted' : real];
    },
    withdraw: () => {
      const voter = dice.pick(model.voters);
      return [
        model.withdraw(voter.who),
        world.act((review) => withdraw(review, authorOf(voter), world.nowMs)),
      ];
    },
    cancel: () => {
      const by = dice.chance(40) ? 'agent' : dice.pick(model.voters);
      const who = by === 'agent' ? AGENT : authorOf(by);
      return [
        model.cancel(by),
        world.act((review) => cancel(review, who, null, world.standingOf, world.nowMs)),
      ];
    },
    comment: () => {
      const voter = dice.pick([null, ...model.voters]);
      const author = voter === null ? { ...AGENT, id: `key_${dice.roll(3)}` } : authorOf(voter);
      // Some acts are repeated, so that some lives reach the limits.
      const times = dice.chance(4) ? 51 : 1;
      let words: readonly [string, string] = ['', ''];
      for (let i = 0; i < times; i += 1) {
        const real = world.act((review) => comment(review, author, 'x', world.nowMs));
        words = [model.comment(voter?.who ?? 'keys'), real];
      }
      return words;
    },
    use: () => {
      const keyOwners = dice.chance(80) ? [] : [dice.pick(VOTERS.slice(1)).who];
      return [model.use(keyOwners), world.use(keyOwners)];
    },
    wait: () => {
      model.now += dice.pick([1, 5, 10, 15, 20, 60, 1_440]);
      return ['-', '-'];
    },
    apply: () => {
      model.rules = someRules();
      model.apart = dice.chance(40);
      model.confirms = dice.chance(30);
      return ['-', '-'];
    },
    people: () => {
      const changed = dice.roll(VOTERS.length);
      const toggle = (voter: ModelVoter): ModelVoter => {
        const { group, asked, named, boss, reviews, there, gone } = voter;
        if (voter.strength === 0) return { ...voter, gone: gone + 1 };
        return dice.pick([
          { ...voter, named: !named },
          { ...voter, group: group === null ? 'x' : null },
          { ...voter, asked: !asked },
          { ...voter, boss: !boss, reviews: !boss || reviews },
          { ...voter, reviews: boss || !reviews },
          // Disabled, back again, or reset.
          { ...voter, there: !there, gone: there ? gone + 1 : gone },
          { ...voter, gone: gone + 1 },
        ]);
      };
      model.voters = model.voters.map((voter, i) => (i === changed ? toggle(voter) : voter));
      return ['-', '-'];
    },
  };
  const names = ['open', 'vote', 'vote', 'vote', 'vote', 'withdraw', 'cancel', 'comment', 'use', 'use'];
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
    // The model ages only reviews that are acted on; reading the real ones must not age them further.
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
