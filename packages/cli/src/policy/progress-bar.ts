/** A progress bar: redrawn in place on a terminal, otherwise one line at each tenth. */
const WIDTH = 30;

export class ProgressBar {
  readonly #out: NodeJS.WriteStream;
  #tenth = 0;
  #isDrawn = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(done: number, total: number): void {
    if (total === 0) return;
    const share = Math.min(1, done / total);
    const filled = Math.round(share * WIDTH);
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
    const line = `replaying ${bar} ${Math.floor(share * 100)} %, ${done.toLocaleString('en')} decisions`;
    if (this.#out.isTTY) {
      this.#out.write(`\r${line}\x1b[K`);
      this.#isDrawn = true;
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth > this.#tenth) this.#out.write(`${line}\n`);
    this.#tenth = tenth;
  }

  end(): void {
    if (this.#isDrawn) this.#out.write('\n');
    this.#isDrawn = false;
  }
}
