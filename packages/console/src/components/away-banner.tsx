/** A banner shown while the service does not respond. */
import { useEffect } from 'preact/hooks';
import { isAway } from '../state/connection.ts';
import { useStore } from '../state/store.ts';

export function AwayBanner() {
  const away = useStore(isAway);
  useEffect(() => {
    if (!away) return;
    // A reload now ends in the browser's error page, without what was typed: the browser asks first.
    const ask = (event: Event) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [away]);
  return (
    <div aria-live="polite">
      {away && (
        <p class="banner">
          <strong>Can’t reach the service.</strong> Retrying … Don’t reload: what you typed is only in this
          tab.
        </p>
      )}
    </div>
  );
}
