/** The whole claim about digests: 100,000 generated intents have one digest in both languages. */
import { compareDigests } from './digest-equality.ts';

const COUNT = 100_000;

export async function torture() {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { compared, different } = await compareDigests(COUNT, seed);
  return {
    claim: 'Python and TypeScript agree on the digest of an intent',
    count: `${compared} intents`,
    seed: String(seed),
    faults: different,
  };
}
