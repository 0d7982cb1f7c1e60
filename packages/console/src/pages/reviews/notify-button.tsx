/** Turns desktop notifications of new reviews on and off. */
import { notifying, turnNotifications } from '../../state/notify.ts';
import { useStore } from '../../state/store.ts';

export function NotifyButton() {
  const state = useStore(notifying);
  // A browser that was told to refuse asks nobody again.
  if (state === 'unsupported' || state === 'refused') return null;
  return (
    <button type="button" class="small" aria-pressed={state === 'on'} onClick={turnNotifications}>
      {state === 'on' ? 'Notifications on' : 'Notify me of new reviews'}
    </button>
  );
}
