/** The folder cannot be used, and there is no other policy to decide by. */
export class FolderUnusable extends Error {
  readonly faults: readonly string[];

  constructor(message: string, faults: readonly string[]) {
    super(message);
    this.faults = faults;
  }
}
