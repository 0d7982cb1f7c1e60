/** The places where old parts of the log may be kept outside of the database. */
import type { Progress } from './log.ts';

/** The place of an archive, which can be passed to a thread. Credentials of a bucket stay in the environment. */
export type ArchivePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
      readonly prefix: string;
      /** The URL of a server other than Amazon's, without a slash at its end. */
      readonly endpoint: string | null;
      readonly region: string;
    };

export interface Archiving {
  /**
   * Moves the entries of whole tiles that are older than this into the archive, and keeps their hashes. The first
   * tile of each log and the newest ones stay. Resolves with the number of entries moved; if it was interrupted, the
   * next call continues.
   */
  archive(beforeMs: number, progress?: Progress): Promise<number>;
  /** Why archived entries cannot be read, with the name of a file; null if they can, or if there are none. */
  archiveProblem(): Promise<string | null>;
}
