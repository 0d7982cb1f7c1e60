/** Reports at the start that an archive is missing, before anybody needs its records. */
import type { Log } from '@writecheck/service/support/observability/log';
import type { Store } from '@writecheck/store/port';

/** Not awaited: a bucket is slow, and checks never need it. */
export async function warnOfArchive(store: Pick<Store, 'archiveProblem'>, log: Log): Promise<void> {
  try {
    const cause = await store.archiveProblem();
    if (cause === null) return;
    log.warn(
      { cause },
      'records that were archived cannot be read, and answer 503 until they can; set WRITECHECK_ARCHIVE to the folder or bucket that holds this file, and let this user read it',
    );
  } catch (error) {
    log.debug({ error: String(error) }, 'whether archived records can be read is not known');
  }
}
