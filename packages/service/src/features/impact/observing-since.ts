/** Finds when a profile began to observe: the first of the consecutive revisions that hold the same document. */
import { canonicalJson } from '@writecheck/contract';
import type { ProfileDocument } from '@writecheck/engine';
import type { Store } from '@writecheck/store/port';
import { storedDocuments } from '../policies/stored-documents.ts';

export async function observingSince(
  store: Pick<Store, 'listPolicies' | 'findPolicy'>,
  workspace: string,
  running: { readonly revision: number; readonly createdAtMs: number },
  profile: ProfileDocument,
): Promise<number> {
  const same = canonicalJson(profile);
  const seen = new Map<string, boolean>();
  let sinceMs = running.createdAtMs;
  for (const { revision, digest, createdAtMs } of await store.listPolicies(workspace)) {
    if (revision > running.revision) continue;
    let holds = seen.get(digest);
    if (holds === undefined) {
      const found = await store.findPolicy(workspace, revision);
      const documents = storedDocuments(found?.documents ?? '[]') ?? [];
      const own = documents.find(
        ({ kind, ...rest }) => kind === 'Profile' && 'id' in rest && rest.id === profile.id,
      );
      holds = own !== undefined && canonicalJson(own) === same;
      seen.set(digest, holds);
    }
    if (!holds) break;
    sinceMs = createdAtMs;
  }
  return sinceMs;
}
