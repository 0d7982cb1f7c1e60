/** Bringing a store of an earlier version to the schema of this one. */

/** Leads from one schema version to another; from 0 if there is nothing yet. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

export interface PlannedMigration extends Migration {
  /** The users of the store now, and what they will notice. */
  readonly users: readonly string[];
}

export interface MigrationOptions {
  /** The migration gives up after this long without a lock; nothing has changed then. */
  readonly lockTimeoutMs: number;
  /** Gets each step, and what it waits for. */
  readonly tell: (line: string) => void;
}

/** INVARIANT: a store that another version wrote is whole, so no message suggests restoring a backup over it. */
export function wrongVersion(found: number, known: number, converted: number): string {
  const versions = `it is at schema version ${found}, this program needs ${known}`;
  if (found > known)
    return `${versions}; a newer version has migrated it, and nothing is damaged: start that version`;
  if (found === converted)
    return `${versions}; stop all replicas, back up, then run \`writecheck migrate\` (or start with --migrate start)`;
  return `${versions}, and it cannot convert a store that old; start version 0.1.0 on it once`;
}
