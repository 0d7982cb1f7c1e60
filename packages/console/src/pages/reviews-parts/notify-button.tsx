/** Turns desktop notifications of new reviews on and off. */
import { notifying, turnNotifications } from '../../state/notify.ts';
import { useStore } from '../../state/store.ts';

export function NotifyButton() {
  const state = useStore(notifying);
  if (state === 'unsupported') return null;
  if (state === 'refused')
    return <span class="quiet small-text">Your browser blocks notifications of this page.</span>;
  return (
    <button type="button" class="small" aria-pressed={state === 'on'} onClick={turnNotifications}>
      {state === 'on' ? 'Notifications on' : 'Notify me of new reviews'}
    </button>
  );
}
