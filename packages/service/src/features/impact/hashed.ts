/** 64 bits that stand for a text in distinct counts; a million of them collide once in forty million runs. */
import { hash } from 'node:crypto';

export interface Hashed {
  readonly high: number;
  readonly low: number;
}

export function hashedText(text: string): Hashed {
  return hashedDigest(hash('sha256', text));
}

const PREFIX = 'sha256:';

/** Takes a digest with or without its prefix. */
export function hashedDigest(digest: string): Hashed {
  const at = digest.startsWith(PREFIX) ? PREFIX.length : 0;
  return {
    high: Number.parseInt(digest.slice(at, at + 8), 16),
    low: Number.parseInt(digest.slice(at + 8, at + 16), 16),
  };
}
