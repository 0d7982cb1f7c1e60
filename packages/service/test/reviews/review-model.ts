/** The life of a write's reviews in the simplest terms, to compare the real code with. */

export interface ModelRule {
  readonly group: string | null;
  readonly approvals: number;
  readonly strength: number;
  readonly openFor: number;
  readonly goodFor: number;
  readonly self: boolean;
}
export type ModelRules = { readonly [control: string]: ModelRule };

export interface ModelVoter {
  readonly who: string;
  readonly group: string | null;
  /** The best identity that they can prove: 0 an owner key, 1 a person, 2 a person with a passkey. */
  readonly strength: number;
  readonly asked: boolean;
  /** Whether the caller names them in `onBehalfOf`. */
  readonly named: boolean;
  readonly boss: boolean;
  readonly reviews: boolean;
  readonly there: boolean;
  /** How often they were disabled or reset; for owner keys, how often one was revoked and replaced. */
  readonly gone: number;
}

interface Vote {
  readonly who: string;
  readonly strength: number;
  readonly for: readonly string[];
  readonly at: number;
  readonly gone: number;
  readonly signed: string | null;
}

interface Life {
  state: string;
  readonly rules: ModelRules;
  /** Whether nobody may count for two controls, and whether an approval confirms more than its controls. */
  readonly apart: boolean;
  readonly confirms: boolean;
  readonly end: number;
  votes: Vote[];
  goodUntil: number;
  closed: number;
  used: boolean;
  /** The keys that asked, each with the name it gave. */
  askers: Map<string, string | null>;
  comments: string[];
  spent: Set<string>;
  /** The votes that made it approved, each with a control that it counted for. */
  basis: (readonly [string, Vote])[];
}

/** Each act returns one word: what happened, or the code of the refusal. */
export class ReviewModel {
  now = 0;
  rules: ModelRules;
  apart = false;
  confirms = false;
  voters: readonly ModelVoter[];
  lives: Life[] = [];

  constructor(rules: ModelRules, voters: readonly ModelVoter[]) {
    this.rules = rules;
    this.voters = voters;
  }

  get life(): Life {
    return this.lives.at(-1)!;
  }

  /** Ages the review by time and policy. */
  private age(): void {
    for (const life of this.lives) {
      if (life.state !== 'open') continue;
      if (this.now >= life.end) [life.state, life.closed] = ['expired', life.end];
      else if (!this.isCurrent(life)) [life.state, life.closed] = ['cancelled:outdated', this.now];
    }
  }

  private voter(who: string): ModelVoter {
    return this.voters.find((voter) => voter.who === who)!;
  }

  private stands(life: Life): boolean {
    const isGone = ({ who, gone }: Vote) => !this.voter(who).there || this.voter(who).gone !== gone;
    return this.isCurrent(life) && !life.basis.some(([, vote]) => isGone(vote));
  }

  private could(voter: ModelVoter, { rules }: Life, verdict: string): boolean {
    return Object.values(rules).some(
      (rule) => this.fits(voter, rule, verdict) && voter.strength >= rule.strength,
    );
  }

  private fits(voter: ModelVoter, { group, self }: ModelRule, verdict: string): boolean {
    const belongs = group === null || voter.group === group;
    const barred = voter.asked || (verdict === 'approve' && voter.named);
    return voter.there && voter.reviews && belongs && (self || !barred);
  }

  private isCurrent({ rules }: Life): boolean {
    return Object.entries(rules).every(([control, rule]) => this.rules[control] === rule);
  }

  /** Whether one of these people gave an approval that they may not use themselves. */
  private isOwn({ basis, rules }: Life, keyOwners: readonly string[]): boolean {
    return basis.some(([control, { who }]) => keyOwners.includes(who) && !rules[control]!.self);
  }

  /** For all controls that the running rules name, with a key that these people hold or made. */
  open(asker: string, name: string | null, keyOwners: readonly string[]): string {
    this.age();
    const isGood = (life: Life) =>
      life.state === 'approved' &&
      !life.used &&
      this.now < life.goodUntil &&
      this.stands(life) &&
      !this.isOwn(life, keyOwners);
    const covering = this.lives.filter((life) => Object.keys(this.rules).every((each) => each in life.rules));
    const newestFirst = covering.toReversed();
    const means = (life: Life) => (life.apart || !this.apart) && (life.confirms || !this.confirms);
    const there =
      newestFirst.find((life) => life.state === 'open' && means(life)) ??
      newestFirst.find((life) => isGood(life) && means(life)) ??
      newestFirst.find((life) => life.state === 'rejected' && this.now - life.closed < 1_440);
    if (there === undefined) {
      const narrower = this.lives.find((life) => life.state === 'open');
      if (narrower !== undefined) [narrower.state, narrower.closed] = ['cancelled:outdated', this.now];
      return this.begin(this.rules, new Map([[asker, name]]));
    }
    const before = there.askers.get(asker);
    if (typeof before === 'string' && name !== null && name !== before) return 'already_asked';
    if (before === undefined && there.askers.size === 20) return 'rate_limited';
    const isNew = before === undefined || (before === null && name !== null);
    if (isNew) there.askers.set(asker, name);
    return isNew ? 'joined' : 'same';
  }

  private begin(rules: ModelRules, askers: Life['askers']): string {
    const end = this.now + Math.min(...Object.values(rules).map((rule) => rule.openFor));
    this.lives.push({
      state: 'open',
      rules,
      apart: this.apart,
      confirms: this.confirms,
      end,
      votes: [],
      goodUntil: 0,
      closed: 0,
      used: false,
      askers,
      comments: [],
      spent: new Set(),
      basis: [],
    });
    return 'opened';
  }

  /** `signed` names the assertion that came with it, null if none did; `forged` is one that does not verify. */
  vote(voter: ModelVoter, verdict: 'approve' | 'reject', signed: string | null): string {
    this.age();
    const { life } = this;
    if (life.state !== 'open') return 'review_closed';
    if (!voter.there || !voter.reviews) return 'insufficient_scope';
    const proves = voter.strength === 0 ? 0 : signed === null ? 1 : 2;
    let left = Object.entries(life.rules).filter(([, { group }]) => group === null || group === voter.group);
    if (left.length === 0) return 'not_a_reviewer';
    const barred = voter.asked || (verdict === 'approve' && voter.named);
    left = left.filter(([, { self }]) => self || !barred);
    if (left.length === 0) return 'self_review';
    left = left.filter(([, { strength }]) => proves >= strength);
    if (left.length === 0) return 'identity_too_weak';
    if (signed === 'forged' || (signed !== null && life.spent.has(signed))) return 'assertion_invalid';
    const spoken = left.map(([control]) => control);
    const mine = life.votes.find(({ who }) => who === voter.who);
    const held =
      mine === undefined || mine.gone !== voter.gone
        ? []
        : mine.for.filter((control) => this.now - mine.at <= life.rules[control]!.goodFor);
    if (held.length > 0) {
      if (verdict === 'reject') return 'already_voted';
      const isMore = spoken.some((control) => !mine!.for.includes(control));
      const losesNone = held.every((control) => spoken.includes(control));
      const renews = losesNone && spoken.some((control) => !held.includes(control));
      if (!isMore && !renews) return this.tally() === 'approved' ? 'approved' : 'same';
    }
    if (signed !== null && life.votes.some((vote) => vote.signed === signed)) return 'assertion_invalid';
    if (verdict === 'reject') {
      [life.state, life.closed] = ['rejected', this.now];
      return 'rejected';
    }
    if (mine !== undefined && mine.signed !== null) life.spent.add(mine.signed);
    life.votes = life.votes.filter((vote) => vote !== mine);
    const { who, gone } = voter;
    life.votes.push({ who, strength: proves, for: spoken, at: this.now, gone, signed });
    return this.tally();
  }

  /** Approves it if every control has enough approvals as of now. */
  private tally(): string {
    const { life } = this;
    const basis: (readonly [string, Vote])[] = [];
    for (const [control, rule] of Object.entries(life.rules)) {
      const counting = life.votes.filter((vote) => {
        const today = this.voter(vote.who);
        const isFresh = this.now - vote.at <= rule.goodFor && today.gone === vote.gone;
        return vote.for.includes(control) && isFresh && this.fits(today, rule, 'approve');
      });
      if (counting.length < rule.approvals) return 'counted';
      for (const vote of counting) basis.push([control, vote]);
    }
    if (life.apart && Object.keys(life.rules).length > 1) {
      const apart = this.setApart(basis);
      if (apart === null) return 'counted';
      basis.splice(0, basis.length, ...apart);
    }
    [life.state, life.closed, life.basis] = ['approved', this.now, basis];
    life.goodUntil = this.now + Math.min(...Object.values(life.rules).map((rule) => rule.goodFor));
    return 'approved';
  }

  /**
   * Of all ways to count each vote once, the first that gives each control enough: early votes for early
   * controls.
   */
  private setApart(all: Life['basis']): Life['basis'] | null {
    const { rules, votes } = this.life;
    const ways = votes.reduce<Life['basis'][]>(
      (so, vote) =>
        so.flatMap((way) => [way, ...all.filter(([, v]) => v === vote).map((one) => [...way, one])]),
      [[]],
    );
    const isEnough = (way: Life['basis']) =>
      Object.entries(rules).every(
        ([control, rule]) => way.filter(([name]) => name === control).length === rule.approvals,
      );
    const rank = (way: Life['basis']) =>
      Object.keys(rules).flatMap((control) =>
        way.filter(([name]) => name === control).map(([, vote]) => String.fromCharCode(votes.indexOf(vote))),
      );
    const enough = ways.filter(isEnough).map((way) => [rank(way).join(''), way] as const);
    return enough.sort(([one], [other]) => (one < other ? -1 : 1))[0]?.[1] ?? null;
  }

  withdraw(who: string): string {
    this.age();
    const { life } = this;
    if (life.state !== 'open') return 'review_closed';
    const mine = life.votes.find((vote) => vote.who === who);
    if (mine === undefined) return 'not_found';
    if (mine.signed !== null) life.spent.add(mine.signed);
    life.votes = life.votes.filter((vote) => vote !== mine);
    return 'withdrawn';
  }

  cancel(by: 'agent' | ModelVoter): string {
    this.age();
    const { life } = this;
    if (life.state.startsWith('cancelled')) return 'same';
    if (life.state === 'rejected' || life.state === 'expired') return 'review_closed';
    const isOpen = life.state === 'open';
    const may =
      by === 'agent'
        ? isOpen
        : by.there &&
          (by.boss ||
            (isOpen ? this.could(by, life, 'reject') : life.votes.some(({ who }) => who === by.who)));
    if (!may) return 'insufficient_scope';
    if (isOpen) life.closed = this.now;
    life.state = 'cancelled:cancelled';
    return 'cancelled';
  }

  /** All requesting keys share one limit. */
  comment(who: string): string {
    this.age();
    const { life } = this;
    if (life.state !== 'open') return 'review_closed';
    if (life.comments.length === 100 || life.comments.filter((by) => by === who).length === 50)
      return 'rate_limited';
    life.comments.push(who);
    return 'commented';
  }

  /** A check that brings the newest review's evidence, with a key that these people hold or made. */
  use(keyOwners: readonly string[]): string {
    const { life } = this;
    const isGood = life.state === 'approved' && !life.used && this.now < life.goodUntil;
    if (!isGood || !this.stands(life)) return 'untrusted';
    if (this.isOwn(life, keyOwners)) return 'untrusted';
    life.used = true;
    return 'used';
  }
}
