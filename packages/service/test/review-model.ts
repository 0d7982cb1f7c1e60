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
  readonly strength: number;
  readonly asked: boolean;
}

interface Vote {
  readonly who: string;
  readonly strength: number;
  readonly for: readonly string[];
  readonly at: number;
}

interface Life {
  state: string;
  readonly rules: ModelRules;
  readonly end: number;
  votes: Vote[];
  goodUntil: number;
  closed: number;
  used: boolean;
  askers: Set<string>;
}

/** Each act returns a word: what happened, or the code of the refusal. */
export class ReviewModel {
  now = 0;
  rules: ModelRules;
  voters: readonly ModelVoter[];
  lives: Life[] = [];

  constructor(rules: ModelRules, voters: readonly ModelVoter[]) {
    this.rules = rules;
    this.voters = voters;
  }

  get life(): Life {
    return this.lives.at(-1)!;
  }

  /** Time and policy work by themselves. */
  private age(): void {
    for (const life of this.lives) {
      if (life.state !== 'open') continue;
      if (this.now >= life.end) [life.state, life.closed] = ['expired', life.end];
      else if (!this.isCurrent(life)) [life.state, life.closed] = ['cancelled:outdated', this.now];
    }
  }

  private isCurrent({ rules }: Life): boolean {
    return Object.entries(rules).every(([control, rule]) => this.rules[control] === rule);
  }

  /** For all controls that the running rules name. */
  open(asker: string): string {
    this.age();
    const isGood = (life: Life) =>
      life.state === 'approved' && !life.used && this.now < life.goodUntil && this.isCurrent(life);
    const covering = this.lives.filter((life) => Object.keys(this.rules).every((each) => each in life.rules));
    const newestFirst = covering.toReversed();
    const there =
      newestFirst.find((life) => life.state === 'open') ??
      newestFirst.find(isGood) ??
      newestFirst.find((life) => life.state === 'rejected' && this.now - life.closed < 1_440);
    if (there === undefined) {
      const narrower = this.lives.find((life) => life.state === 'open');
      if (narrower !== undefined) [narrower.state, narrower.closed] = ['cancelled:outdated', this.now];
      return this.begin(this.rules, new Set([asker]));
    }
    const isNew = !there.askers.has(asker);
    if (isNew && there.askers.size === 20) return 'rate_limited';
    there.askers.add(asker);
    return isNew ? 'joined' : 'same';
  }

  private begin(rules: ModelRules, askers: Set<string>): string {
    const end = this.now + Math.min(...Object.values(rules).map((rule) => rule.openFor));
    this.lives.push({
      state: 'open',
      rules,
      end,
      votes: [],
      goodUntil: 0,
      closed: 0,
      used: false,
      askers,
    });
    return 'opened';
  }

  reopen(): string {
    this.age();
    if (this.life.state !== 'rejected' && this.life.state !== 'expired') return 'review_closed';
    const names = Object.keys(this.life.rules);
    if (names.some((name) => this.rules[name] === undefined)) return 'not_reviewable';
    const rules = Object.fromEntries(names.map((name) => [name, this.rules[name]!]));
    return this.begin(rules, new Set(this.life.askers));
  }

  vote(voter: ModelVoter, verdict: 'approve' | 'reject'): string {
    this.age();
    const { life } = this;
    if (life.state !== 'open') return 'review_closed';
    let left = Object.entries(life.rules).filter(([, { group }]) => group === null || group === voter.group);
    if (left.length === 0) return 'not_a_reviewer';
    left = left.filter(([, { self }]) => self || !voter.asked);
    if (left.length === 0) return 'self_review';
    left = left.filter(([, { strength }]) => voter.strength >= strength);
    if (left.length === 0) return 'identity_too_weak';
    const spoken = left.map(([control]) => control);
    const mine = life.votes.find(({ who }) => who === voter.who);
    if (mine !== undefined) {
      if (verdict === 'reject') return 'already_voted';
      if (spoken.every((control) => mine.for.includes(control))) return 'same';
    }
    if (verdict === 'reject') {
      [life.state, life.closed] = ['rejected', this.now];
      return 'rejected';
    }
    life.votes = life.votes.filter((vote) => vote !== mine);
    life.votes.push({ who: voter.who, strength: voter.strength, for: spoken, at: this.now });
    for (const [control, rule] of Object.entries(life.rules)) {
      const counting = life.votes.filter((vote) => {
        const today = this.voters.find(({ who }) => who === vote.who)!;
        const may = (rule.group === null || today.group === rule.group) && (rule.self || !today.asked);
        return vote.for.includes(control) && this.now - vote.at <= rule.goodFor && may;
      });
      if (counting.length < rule.approvals) return 'counted';
    }
    [life.state, life.closed] = ['approved', this.now];
    life.goodUntil = this.now + Math.min(...Object.values(life.rules).map((rule) => rule.goodFor));
    return 'approved';
  }

  withdraw(who: string): string {
    this.age();
    const { life } = this;
    if (life.state !== 'open') return 'review_closed';
    const left = life.votes.filter((vote) => vote.who !== who);
    if (left.length === life.votes.length) return 'not_found';
    life.votes = left;
    return 'withdrawn';
  }

  cancel(by: 'agent' | 'owner'): string {
    this.age();
    const { life } = this;
    if (life.state.startsWith('cancelled')) return 'same';
    if (life.state === 'rejected' || life.state === 'expired') return 'review_closed';
    if (life.state === 'approved' && by === 'agent') return 'insufficient_scope';
    if (life.state === 'open') life.closed = this.now;
    life.state = 'cancelled:cancelled';
    return 'cancelled';
  }

  comment(): string {
    this.age();
    return this.life.state === 'open' ? 'commented' : 'review_closed';
  }

  /** A check that brings the newest review's evidence. */
  use(): string {
    const { life } = this;
    const isGood = life.state === 'approved' && !life.used && this.now < life.goodUntil;
    if (!isGood || !this.isCurrent(life)) return 'untrusted';
    life.used = true;
    return 'used';
  }
}
