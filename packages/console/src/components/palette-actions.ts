/** What the palette does rather than opens, as far as the user may. */
import type { FreezeScope } from '@writecheck/contract';
import { freezing } from '../state/freezing.ts';
import { hasRight, type Person, signOut } from '../state/session.ts';
import { setTheme } from '../state/theme.ts';
import type { Destination } from './destinations.ts';

/** `start` is what a freeze would begin with on this page. */
export function actionsFor(person: Person | undefined, start: FreezeScope): readonly Destination[] {
  const offered = (right: Parameters<typeof hasRight>[1], action: Destination) =>
    hasRight(person, right) ? [action] : [];
  return [
    ...offered('createFreeze', { label: 'Freeze writes …', path: '', act: () => freezing.set(start) }),
    ...offered('createKey', { label: 'Create a key …', path: '/keys', query: { new: 'yes' } }),
    ...offered('createPerson', { label: 'Invite a person …', path: '/people', query: { new: 'yes' } }),
    { label: 'Light theme', path: '', act: () => setTheme('light') },
    { label: 'Dark theme', path: '', act: () => setTheme('dark') },
    { label: 'Sign out', path: '', act: () => signOut('asked') },
  ];
}
