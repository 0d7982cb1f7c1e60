/** The client: asks before a write, and runs the write only on a valid allow. */
import { ask } from './ask.ts';
import type { Client } from './client-types.ts';
import { factsFor } from './facts.ts';
import { guardWrite, type Lent, resumeWrite } from './guard-write.ts';
import { redeem } from './redeem.ts';
import { requirements } from './requirements.ts';
import { openReview, waitForReview } from './review-calls.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { snapshotIntent } from './snapshot-intent.ts';
import { current, unusable } from './timed-decision.ts';

/** Throws only for settings that cannot work, such as a missing key. */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);
  const service = { settings, facts: factsFor(settings) };
  const lent: Lent = { settings, ask: (...asked) => ask(service, ...asked) };

  return Object.freeze<Client>({
    async checkWrite(intent, options) {
      const snapshot = snapshotIntent(intent);
      return current(snapshot.kind === 'unusable' ? unusable() : await ask(service, snapshot, options));
    },

    guardWrite: (intent, write, options) => guardWrite(lent, intent, write, options),
    resumeWrite: (reviewId, intent, write, options) => resumeWrite(lent, reviewId, intent, write, options),
    openReview: (decisionId, options = {}) => openReview(settings, decisionId, options),
    waitForReview: (reviewId, options = {}) => waitForReview(settings, reviewId, options),
    async requirements(intent, options = {}) {
      // Sends the facts that a check would send; without them, some rules would apply that otherwise do not.
      const snapshot = snapshotIntent(intent);
      const informed = snapshot.kind === 'unusable' ? snapshot : await service.facts.add(snapshot, options);
      return informed.kind === 'unanswered' ? informed : requirements(settings, informed, options);
    },
    redeem: (decision, options = {}) => redeem(settings, decision, options),
  });
}
