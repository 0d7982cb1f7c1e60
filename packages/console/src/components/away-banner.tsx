/** A banner shown while the service does not respond. */
import { isAway } from '../state/connection.ts';
import { useStore } from '../state/store.ts';

export function AwayBanner() {
  const away = useStore(isAway);
  return (
    <div aria-live="polite">
      {away && (
        <p class="banner">
          <strong>Can’t reach the service.</strong> Retrying … Your work on this page is safe.
        </p>
      )}
    </div>
  );
}
