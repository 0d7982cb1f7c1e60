/** The open form that stops writes, and what it starts with. Any page can open it. */
import type { FreezeScope } from '@writecheck/contract';
import { createStore } from './store.ts';

/** Null while the form is closed. */
export const freezing = createStore<FreezeScope | null>(null);

/** Prefills the scope from the page: it is the best first guess at what must stop. */
export function scopeFrom(path: string, query: URLSearchParams): FreezeScope {
  const [, agent] = /^\/agents\/(key_[0-9a-f]{32})$/.exec(path) ?? [];
  if (agent !== undefined) return { keyId: agent };
  if (path !== '/decisions') return {};
  const named = ['system', 'workflowId', 'keyId'].flatMap((member) => {
    const value = query.get(member);
    return value === null || value === '' ? [] : [[member, value] as const];
  });
  return Object.fromEntries(named);
}
