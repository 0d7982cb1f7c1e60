/** Stands before everything that appends to the log of a store, so that nobody appends to a log that is not the signed one. */
export class AppendGuard {
  #check: () => void = () => undefined;

  /** `check` throws to refuse. */
  set(check: () => void): void {
    this.#check = check;
  }

  async run<T>(append: () => Promise<T>): Promise<T> {
    this.#check();
    const appended = await append();
    // It may have been found out meanwhile: what was appended then proves nothing.
    this.#check();
    return appended;
  }
}
