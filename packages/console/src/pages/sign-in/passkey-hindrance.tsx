/** Says why passkeys do not work on this page, and where they do. */
import type { Hindrance } from '../../state/passkey.ts';

export function PasskeyHindrance({ hindrance }: { readonly hindrance: Hindrance }) {
  if (hindrance.kind === 'address') {
    return (
      <p class="note">
        Passkeys need a host name, and this page has an IP address.{' '}
        <a href={hindrance.instead}>Open it as localhost</a>.
      </p>
    );
  }
  return (
    <p class="note">
      {hindrance.kind === 'insecure'
        ? 'Passkeys need HTTPS. Open this page over HTTPS or as localhost.'
        : 'This browser has no passkeys. Use a current one.'}
    </p>
  );
}
