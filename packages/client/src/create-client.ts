/** The client: asks before a write, and runs the write only on a valid allow. */
import { ask, checkTogether } from './ask.ts';
import type { CheckOptions, Client } from './client-types.ts';
import type { Unanswered } from './decision-types.ts';
import { factsFor } from './facts.ts';
import { guardWrite, type Lent, resumeWrite } from './guard-write.ts';
import { redeem } from './redeem.ts';
import { requirements } from './requirements.ts';
import { openReview, waitForReview } from './review-calls.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { snapshotIntent } from './snapshot-intent.ts';
import { current, noDecision, unusable } from './timed-decision.ts';

const FACTS_AT_ONCE = 8;

type Snapshot = ReturnType<typeof snapshotIntent>;
type Informed = Snapshot | Unanswered;

/** Throws only for settings that cannot work, such as a missing key. */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);
  const service = { settings, facts: factsFor(settings) };
  const lent: Lent = { settings, ask: (...asked) => ask(service, ...asked) };

  async function inform(snapshot: Snapshot, options: CheckOptions | undefined): Promise<Informed> {
    return snapshot.kind === 'unusable' ? snapshot : service.facts.add(snapshot, options);
  }

  return Object.freeze<Client>({
    async checkWrite(intent, options) {
      const snapshot = snapshotIntent(intent);
      return current(snapshot.kind === 'unusable' ? unusable() : await ask(service, snapshot, options));
    },

    async checkWrites(intents, options) {
      const snapshots = intents.map(snapshotIntent);
      const informed: Informed[] = [];
      // Sends a few at a time: a reader refuses more than 16 concurrent requests.
      for (let at = 0; at < snapshots.length; at += FACTS_AT_ONCE) {
        const some = snapshots.slice(at, at + FACTS_AT_ONCE);
        informed.push(...(await Promise.all(some.map((snapshot) => inform(snapshot, options)))));
      }
      const usable = informed.filter((snapshot) => snapshot.kind === 'snapshot');
      const verdicts = usable.length === 0 ? [] : await checkTogether(service, usable, options);
      const inOrder = verdicts.values();
      return informed.map((snapshot) => {
        if (snapshot.kind === 'unusable') return current(unusable());
        return current(snapshot.kind === 'unanswered' ? noDecision(snapshot.cause) : inOrder.next().value!);
      });
    },

    guardWrite: (intent, write, options) => guardWrite(lent, intent, write, options),
    resumeWrite: (reviewId, intent, write, options) => resumeWrite(lent, reviewId, intent, write, options),
    openReview: (decisionId, options = {}) => openReview(settings, decisionId, options),
    waitForReview: (reviewId, options = {}) => waitForReview(settings, reviewId, options),
    async requirements(intent, options = {}) {
      // Sends the facts that a check would send; without them, some rules would apply that otherwise do not.
      const informed = await inform(snapshotIntent(intent), options);
      return informed.kind === 'unanswered' ? informed : requirements(settings, informed, options);
    },
    redeem: (decision, options = {}) => redeem(settings, decision, options),
  });
}
