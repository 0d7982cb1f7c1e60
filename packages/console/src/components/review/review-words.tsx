/** A review's state, its time left and its write, in words. */
import type { Review } from '@writecheck/api';
import type { ReviewState } from '@writecheck/contract';
import { inWords } from '../../picture/durations.ts';
import { now } from '../../state/now.ts';
import { useServiceAheadMs } from '../../state/service-clock.ts';
import type { Person } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';

export const STATES: { readonly [state in ReviewState]: { readonly word: string; readonly tone: string } } = {
  open: { word: 'Open', tone: 'pause' },
  approved: { word: 'Approved', tone: 'allow' },
  rejected: { word: 'Rejected', tone: 'block' },
  expired: { word: 'Expired', tone: 'over' },
  cancelled: { word: 'Cancelled', tone: 'over' },
};

export const VOID = { word: 'Approval void', tone: 'over' } as const;

/** Whether an approval stopped counting before an agent used it. */
export function isVoid({ state, because }: Review): boolean {
  return state === 'approved' && because !== undefined && because !== 'used';
}

/** The word and the colour of its badge. */
export function badgeOf(review: Review): { readonly word: string; readonly tone: string } {
  return isVoid(review) ? VOID : STATES[review.state];
}

/** Such as "Rejected by Rita Reyes"; null while it is open. */
export function endOf({ state, verdicts }: Review): string | null {
  if (state === 'open') return null;
  const verdict = state === 'rejected' ? 'reject' : 'approve';
  const decider = verdicts.findLast((each) => each.verdict === verdict);
  const isDecided = state === 'rejected' || state === 'approved';
  return isDecided && decider !== undefined
    ? `${STATES[state].word} by ${nameOf(decider.by)}`
    : `Review ${STATES[state].word.toLowerCase()}`;
}

/** The share of its time at which a review expires soon. */
const SOON = 0.25;

export function TimeLeft({ until, since }: { readonly until: string; readonly since: string }) {
  const leftMs = Date.parse(until) - (useStore(now) + useServiceAheadMs());
  const isSoon = leftMs < SOON * (Date.parse(until) - Date.parse(since));
  return (
    <time dateTime={until} title={until} class={isSoon ? 'soon' : undefined}>
      {leftMs <= 0 ? 'any moment' : inWords(leftMs)}
    </time>
  );
}

export function nameOf(who: Review['comments'][number]['by']): string {
  if (who === undefined) return 'somebody';
  if (who.kind === 'owner_key') return ownerKeyNamed(who.name ?? who.id);
  const kinds = { person: '', checking_key: 'key ' } as const;
  return `${kinds[who.kind]}${who.name ?? who.id}`;
}

/** The first one is named after its kind, which need not be said twice. */
export function ownerKeyNamed(name: string): string {
  return name === 'owner' ? 'Owner key' : `Owner key ${name}`;
}

/** Whether the signed-in user's verdict counts for this control. Self-review is the service's to judge. */
export function mayDecide(
  { groups, identity }: Review['controls'][number],
  person: Person | undefined,
): boolean {
  if (person === undefined) return groups === null && identity === 'any';
  if (!person.roles.some((role) => role === 'reviewer' || role === 'owner')) return false;
  return groups === null || groups.some((group) => person.groups.includes(group));
}

/** Whether a verdict of the signed-in user is signed with their passkey. */
export function isSigned({ controls }: Review, person: Person | undefined): boolean {
  return (
    person !== undefined &&
    controls.some((control) => control.identity === 'passkey' && mayDecide(control, person))
  );
}

/** Who may decide a review, in a few words. */
export function whoCan(controls: readonly Review['controls'][number][]): string {
  const groups = [...new Set(controls.flatMap(({ groups: each }) => each ?? []))];
  const needsPasskey = controls.some(({ identity }) => identity === 'passkey');
  const needsPerson = needsPasskey || controls.some(({ identity }) => identity === 'person');
  const who = groups.length > 0 ? `Members of ${groups.join(', ')}` : 'Any reviewer';
  if (needsPasskey) return `${who}, with a passkey`;
  return needsPerson ? `${who}, signed in as a person` : who;
}
