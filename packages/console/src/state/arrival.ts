/**
 * Takes secrets out of the address: an invitation, or the code of a single sign-on. They arrive as all that follows
 * `#`, and must not stay in the history or on the screen. Imported first, so that the router never sees them.
 */
import { createStore } from './store.ts';

const INVITATION = 'wck_inv_';
const CODE = 'wck_oidc_';

export const invitation = createStore<string | null>(null);
export const signInCode = createStore<string | null>(null);

function takeSecret(): void {
  const behind = window.location.hash.slice(1);
  const isInvitation = behind.startsWith(INVITATION);
  if (!isInvitation && !behind.startsWith(CODE)) return;
  (isInvitation ? invitation : signInCode).set(behind);
  // Without the path that a link has, every later address is one of the console.
  window.history.replaceState(null, '', isInvitation ? './#/invitation' : './#/sign-in/returned');
}

takeSecret();
window.addEventListener('hashchange', takeSecret);
