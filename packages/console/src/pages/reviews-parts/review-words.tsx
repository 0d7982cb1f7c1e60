/** A review's state, its time left and its write, in words. */
import { inWords } from '../../picture/durations.ts';
import { now } from '../../state/now.ts';
import { useServiceAheadMs } from '../../state/service-clock.ts';
import { useStore } from '../../state/store.ts';
import type { Because, Review, ReviewControl, ReviewState, Who } from './reviews-api.ts';

const STATES: { readonly [state in ReviewState]: { readonly word: string; readonly tone: string } } = {
  open: { word: 'Open', tone: 'pause' },
  approved: { word: 'Approved', tone: 'allow' },
  rejected: { word: 'Rejected', tone: 'block' },
  expired: { word: 'Expired', tone: 'over' },
  cancelled: { word: 'Cancelled', tone: 'over' },
};

const BECAUSE: { readonly [because in Because]: string } = {
  used: 'used',
  run_out: 'ran out unused',
  outdated: 'the review rule changed',
  cancelled: '',
  disabled: 'its approver was disabled',
};

export function StateBadge({ review, large }: { readonly review: Review; readonly large?: boolean }) {
  const { word, tone } = STATES[review.state];
  const because = review.because === undefined ? '' : BECAUSE[review.because];
  return (
    <>
      <span class={`badge state-badge ${tone}${large ? ' large' : ''}`}>{word}</span>
      {because !== '' && <span class="because small-text quiet">{because}</span>}
    </>
  );
}

export function stateWord(state: ReviewState): string {
  return STATES[state].word;
}

export function TimeLeft({ until }: { readonly until: string }) {
  const leftMs = Date.parse(until) - (useStore(now) + useServiceAheadMs());
  return (
    <time dateTime={until} title={until}>
      {leftMs <= 0 ? 'any moment' : inWords(leftMs)}
    </time>
  );
}

/** The object and the field or operation, in short. */
export function writeTitle({ intent }: Review): string {
  const text = (member: string) => {
    const value = intent[member];
    return typeof value === 'string' && value !== '' ? [value] : [];
  };
  const object = [...text('objectType'), ...text('objectRef')].join(' ');
  const [what] = [...text('field'), ...text('operation')];
  const parts = [object, what].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? (text('system')[0] ?? '') : parts.join(' · ');
}

export function nameOf(who: Who | undefined): string {
  if (who === undefined) return 'somebody';
  const kinds = { person: '', owner_key: 'owner key ', checking_key: 'key ' } as const;
  return `${kinds[who.kind]}${who.name ?? who.id}`;
}

/** Whether a verdict with an owner key counts for this control. */
export function takesOwnerKey({ groups, identity }: ReviewControl): boolean {
  return groups === null && identity === 'any';
}
