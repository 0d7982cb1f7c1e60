/** The text around the responses to the checks of a request, and where a list of them ends. */
import type { Decision } from '@writecheck/contract';

const END_OF_LIST = ']}';

export class Frame {
  /** The text before, between and after the responses: one more piece than there are checks. */
  readonly #pieces: readonly string[];
  /** Whether a check with this decision ends the response, so that the checks after it are not reached. */
  readonly endsAfter: ((decision: Decision) => boolean) | undefined;

  constructor(pieces: readonly string[], endsAfter?: Frame['endsAfter']) {
    this.#pieces = pieces;
    this.endsAfter = endsAfter;
  }

  /** INVARIANT: a check over quota is not a permit, so it ends a list that ends at the first check without one. */
  get endOverQuota(): string | undefined {
    return this.endsAfter?.('block') ? END_OF_LIST : undefined;
  }

  /** The text around this many checks, if the last of them has this decision. */
  pieces(checks: number, last: Decision): readonly string[] {
    return this.endsAfter?.(last) ? [...this.#pieces.slice(0, checks), END_OF_LIST] : this.#pieces;
  }

  around(texts: readonly string[], last: Decision): string {
    return this.pieces(texts.length, last).reduce((before, piece, i) => before + texts[i - 1]! + piece);
  }

  /** The response to a request that has no check to decide. */
  get empty(): string {
    return this.#pieces.join('');
  }
}

/** The frame of a single check. */
export const NO_FRAME = new Frame(['', '']);

/** Builds the frame of a list item by item: some items are decided, others are refused as they are read. */
export class FrameBuilder {
  readonly #pieces: string[];
  #items = 0;

  constructor(opening: string) {
    this.#pieces = [opening];
  }

  decided(): void {
    this.#separate();
    this.#pieces.push('');
  }

  refused(errorText: string): void {
    this.#separate();
    this.#append(errorText);
  }

  end(endsAfter?: Frame['endsAfter']): Frame {
    this.#append(END_OF_LIST);
    return new Frame(this.#pieces, endsAfter);
  }

  /** Between two items of the list. */
  #separate(): void {
    if (this.#items++ > 0) this.#append(',');
  }

  #append(text: string): void {
    this.#pieces[this.#pieces.length - 1] += text;
  }
}
