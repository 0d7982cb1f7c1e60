/** Navigation between the policy pages. */
import { href } from '../../state/route.ts';

const PLACES = [
  { path: '/policies', name: 'Edit' },
  { path: '/policies/map', name: 'Map' },
  { path: '/policies/revisions', name: 'Revisions' },
] as const;

export function PolicyPlaces({ at }: { readonly at: (typeof PLACES)[number]['path'] }) {
  return (
    <nav class="places" aria-label="Policies">
      <ul>
        {PLACES.map(({ path, name }) => (
          <li key={path}>
            <a href={href(path)} aria-current={path === at ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
