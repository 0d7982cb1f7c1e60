/** Opens a page's form for something new where the address asks for it, and then takes that out of the address. */
import { useEffect } from 'preact/hooks';
import { replacePlace, usePlace } from './state/route.ts';

export function useNewAsked(open: () => void): void {
  const { path, query } = usePlace();
  const isAsked = query.get('new') !== null;
  useEffect(() => {
    if (!isAsked) return;
    replacePlace(path);
    open();
  }, [isAsked]);
}
