/** Says that the service does not answer, for as long as it does not. */
import { isAway } from '../state/connection.ts';
import { useStore } from '../state/store.ts';

export function AwayBanner() {
  const away = useStore(isAway);
  return (
    <div aria-live="polite">
      {away && (
        <p class="banner">
          <strong>The service does not answer.</strong> Nothing is lost here; this page asks again until it is
          back.
        </p>
      )}
    </div>
  );
}
