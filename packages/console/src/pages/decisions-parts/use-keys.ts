/** The names of keys, for pages that have only their IDs. */

import type { Key } from '@writecheck/api';
import { useMemo } from 'preact/hooks';
import { useLoad } from '../../use-load.ts';
import { listKeys } from '../workspace-parts/keys-api.ts';

export function useKeys(): ReadonlyMap<string, Key> {
  const { value } = useLoad('keys', listKeys);
  return useMemo(() => new Map((value?.keys ?? []).map((key) => [key.id, key])), [value]);
}
