/** Races of a freeze against checks, redemptions and replays: a request sent after the 201 is never allowed. */
import { randomUUID } from 'node:crypto';
import type { Reply } from '../ask.ts';
import { calls, type Racing, WRITE } from './freezes-kit.ts';

const IN_FLIGHT = 6;

/** What went wrong; empty if nothing did. */
export async function raceOnce(racing: Racing): Promise<readonly string[]> {
  const call = calls(racing);
  const wrong: string[] = [];
  const key = () => ({ 'idempotency-key': randomUUID() });
  const kept = key();
  const before = await call.check(WRITE, kept);
  const toRedeem = await Promise.all(Array.from({ length: IN_FLIGHT }, () => call.check()));
  if ([before, ...toRedeem].some(({ body }) => body.decision !== 'allow'))
    wrong.push('it was frozen already');

  let isFrozen = false;
  const numbers: { readonly reply: Reply; readonly sentAfter: boolean; readonly what: string }[] = [];
  const watch = async (what: string, ask: () => Promise<Reply>): Promise<void> => {
    const sentAfter = isFrozen;
    numbers.push({ reply: await ask(), sentAfter, what });
  };
  const freezing = call.freeze({ reason: 'race' }).then((reply) => {
    isFrozen = true;
    return reply;
  });
  // Half of them are redeemed by the commit that records them.
  const taking = (at: number) => ({ ...key(), ...(at % 2 === 0 ? { redeem: 'race' } : {}) });
  const checks = () =>
    Array.from({ length: IN_FLIGHT }, (_, at) => watch('check', () => call.check(WRITE, taking(at))));
  const early = [
    ...checks(),
    ...toRedeem.slice(0, 3).map((one) => watch('redeem', () => call.redeem(one))),
    watch('replay', () => call.check(WRITE, kept)),
  ];
  const frozen = await freezing;
  const late = [
    ...checks(),
    ...toRedeem.slice(3).map((one) => watch('redeem', () => call.redeem(one))),
    watch('replay', () => call.check(WRITE, kept)),
  ];
  await Promise.all([...early, ...late]);
  const isAllowed = ({ status, body }: Reply, what: string): boolean =>
    status === 200 && (what === 'redeem' || body.decision === 'allow');
  for (const { reply, sentAfter, what } of numbers) {
    if (sentAfter && isAllowed(reply, what)) wrong.push(`${what}: allowed after the 201`);
    if (reply.status >= 500 && !isLate(reply)) wrong.push(`${what}: ${reply.status} ${reply.text}`);
  }
  if (numbers.filter(({ reply }) => isLate(reply)).length > numbers.length / 2)
    wrong.push('most calls were not recorded in time');
  // Lifted and frozen again while the first allow is valid: it stays stopped.
  await call.lift(frozen.body.freeze.id);
  const again = await call.freeze({ reason: 'race, again' });
  await call.lift(again.body.freeze.id);
  const replayed = await call.check(WRITE, kept);
  if (replayed.status !== 409) wrong.push(`replay after a lift: ${replayed.status}`);
  const redeemed = await call.redeem(toRedeem.at(-1)!);
  if (redeemed.status !== 409) wrong.push(`redeem after a lift: ${redeemed.status}`);
  if ((await call.check()).body.decision !== 'allow') wrong.push('not allowed after the lift');
  return wrong;
}

/** True if a record missed its deadline, which happens on a busy machine. It allows nothing; any other 503 is a bug. */
function isLate({ status, body }: Reply): boolean {
  return (
    status === 503 && /^the (redemption was not recorded|store did not respond) in time$/.test(body.detail)
  );
}
