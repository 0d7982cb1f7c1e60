/** The one failure of the archive, in the words of the port. */
import { StoreUnavailable } from '../port/failure.ts';

/** It may reach a response, so it names no file; the cause does, for the log. */
export const ARCHIVE_FAILED =
  'a part of the log is in the archive, and the archive is not set, out of reach or not as it was written; check WRITECHECK_ARCHIVE and the log of the service';

export function archiveFailure(cause: unknown): StoreUnavailable {
  return cause instanceof StoreUnavailable ? cause : new StoreUnavailable('archive', ARCHIVE_FAILED, cause);
}
