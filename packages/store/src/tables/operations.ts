/** Every operation on the tables by name, for both stores. */
import * as answers from './answers.ts';
import * as checkpoints from './checkpoints.ts';
import * as deliveries from './deliveries.ts';
import * as erasures from './erasures.ts';
import * as evidence from './evidence.ts';
import * as freezes from './freezes.ts';
import * as keys from './keys.ts';
import * as limits from './limits.ts';
import * as log from './log.ts';
import type { Append, Read, Write } from './operation.ts';
import * as outcomes from './outcomes.ts';
import * as ownedRows from './owned-rows.ts';
import * as people from './people.ts';
import * as policies from './policies.ts';
import * as prune from './prune.ts';
import * as rebuildLimits from './rebuild-limits.ts';
import * as redemptions from './redemptions.ts';
import * as reviews from './reviews.ts';
import * as sessions from './sessions.ts';
import * as webhooks from './webhooks.ts';
import * as workspaceFigures from './workspace-figures.ts';
import * as workspaceStates from './workspace-states.ts';
import * as workspaces from './workspaces.ts';

type Arguments = readonly never[];

/** The tables that are the same in both databases, in an order in which they can be filled. */
export const TABLES =
  workspaces.TABLES +
  keys.KEY_TABLE +
  policies.TABLES +
  evidence.TABLES +
  redemptions.TABLES +
  people.TABLES +
  sessions.TABLES +
  reviews.TABLES +
  webhooks.TABLES +
  deliveries.TABLES +
  prune.TABLES +
  erasures.TABLES +
  limits.TABLES +
  freezes.TABLES +
  outcomes.TABLES +
  checkpoints.TABLES;

/** These run on a connection that cannot write, outside of any transaction. */
export const READS = {
  findWorkspace: workspaces.findWorkspace,
  listWorkspaces: workspaces.listWorkspaces,
  firstWorkspace: workspaces.firstWorkspace,
  workspaceFigures: workspaceFigures.workspaceFigures,
  listRenames: workspaces.listRenames,
  findKey: keys.findKey,
  listKeys: keys.listKeys,
  currentPolicy: policies.currentPolicy,
  findPolicy: policies.findPolicy,
  listPolicies: policies.listPolicies,
  attestationStates: evidence.attestationStates,
  drawsAt: limits.drawsAt,
  countGroups: limits.countGroups,
  listGroups: limits.listGroups,
  findPeople: people.findPeople,
  listPeople: people.listPeople,
  findPersonByEmail: people.findPersonByEmail,
  findPersonByInvitation: people.findPersonByInvitation,
  findPersonByIdentity: people.findPersonByIdentity,
  findCredential: people.findCredential,
  listCredentials: people.listCredentials,
  findSession: sessions.findSession,
  redemptionTimes: redemptions.redemptionTimes,
  findReviews: reviews.findReviews,
  reviewsAtCheck: reviews.reviewsAtCheck,
  reviewsOfWrite: reviews.reviewsOfWrite,
  reviewsLike: reviews.reviewsLike,
  overdueReviews: reviews.overdueReviews,
  openReviews: reviews.openReviews,
  listReviews: reviews.listReviews,
  activeFreezes: freezes.activeFreezes,
  freezesAfter: freezes.freezesAfter,
  findFreeze: freezes.findFreeze,
  freezesEverywhere: freezes.freezesEverywhere,
  listFreezes: freezes.listFreezes,
  overdueFreezes: freezes.overdueFreezes,
  countActiveFreezes: freezes.countActiveFreezes,
  isErased: erasures.isErased,
  outcomesOf: outcomes.outcomesOf,
  countOutcomes: outcomes.countOutcomes,
  findWebhook: webhooks.findWebhook,
  listWebhooks: webhooks.listWebhooks,
  hasActiveWebhook: webhooks.hasActiveWebhook,
  heldWebhooks: webhooks.heldWebhooks,
  findDeliveries: deliveries.findDeliveries,
  listDeliveries: deliveries.listDeliveries,
  dueDeliveries: deliveries.dueDeliveries,
  waitingDeliveries: deliveries.waitingDeliveries,
  newestCheckpoint: checkpoints.newestCheckpoint,
  verifierKeys: checkpoints.verifierKeys,
  newestAtMs: log.newestAtMs,
  logs: log.logs,
  segments: log.segments,
  usage: answers.usage,
  findAnswer: answers.findAnswer,
} as const satisfies { readonly [name: string]: (...args: Arguments) => Read<unknown> };

/** Each is one transaction. */
export const WRITES = {
  createWorkspace: workspaces.createWorkspace,
  touchKeys: keys.touchKeys,
  noteSignCount: people.noteSignCount,
  createSession: sessions.createSession,
  endSession: sessions.endSession,
  touchSessions: sessions.touchSessions,
  keepOneTime: sessions.keepOneTime,
  takeOneTime: sessions.takeOneTime,
  countCall: webhooks.countCall,
  leaseWebhooks: webhooks.leaseWebhooks,
  releaseWebhooks: webhooks.releaseWebhooks,
  addDelivery: deliveries.addDelivery,
  redeliver: deliveries.redeliver,
  takeEvents: deliveries.takeEvents,
  settleDeliveries: deliveries.settleDeliveries,
  sweepDeliveries: deliveries.sweepDeliveries,
  doubtDraws: limits.doubtDraws,
  keepCheckpoint: checkpoints.keepCheckpoint,
  publishVerifierKey: checkpoints.publishVerifierKey,
} as const satisfies { readonly [name: string]: (...args: Arguments) => Write<unknown> };

/** Each is one transaction that may append to the log; on PostgreSQL it takes its turn among the commits. */
export const APPENDING = {
  changeWorkspaceState: workspaceStates.changeWorkspaceState,
  grantLive: workspaceStates.grantLive,
  renameWorkspace: workspaces.renameWorkspace,
  createKey: keys.createKey,
  revokeKey: keys.revokeKey,
  rotateKey: keys.rotateKey,
  appendPolicy: policies.appendPolicy,
  revokeAttestation: evidence.revokeAttestation,
  correctDraws: limits.correctDraws,
  createWebhook: webhooks.createWebhook,
  changeWebhook: webhooks.changeWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  changePerson: people.changePerson,
  changeReviews: reviews.changeReviews,
  redeem: redemptions.redeem,
  freeze: freezes.freeze,
  lift: freezes.lift,
} as const satisfies { readonly [name: string]: (...args: Arguments) => Append<unknown> };

/** The same for operations that only the store itself calls: `assemble-store.ts` hides these from its callers. */
export const INNER = {
  reads: {
    unsettledErasures: erasures.unsettledErasures,
    unfinishedReviews: erasures.unfinishedReviews,
    closedReviews: erasures.closedReviews,
    activeFreezeIds: freezes.activeFreezeIds,
    countOwned: ownedRows.countOwned,
  } satisfies { readonly [name: string]: (...args: Arguments) => Read<unknown> },
  writes: {
    settleErasure: erasures.settleErasure,
    forgetFreezeWords: freezes.forgetFreezeWords,
    pruneStep: prune.pruneStep,
    forgetOutcomes: prune.forgetOutcomes,
    dropReviews: prune.dropReviews,
    forgetAnswers: answers.forgetAnswers,
    deleteOwned: ownedRows.deleteOwned,
    forgetWorkspaceName: workspaceStates.forgetWorkspaceName,
    sweepAnswers: answers.sweepAnswers,
    /** Removes a batch of expired rows; returns how many. */
    *sweepTables(nowMs: number, newestMs: number): Write<number> {
      const over = (yield* sessions.sweepSessions(nowMs)) + (yield* answers.sweepDays(nowMs));
      return over + (yield* limits.sweepDraws(newestMs));
    },
  } satisfies { readonly [name: string]: (...args: Arguments) => Write<unknown> },
  appending: {
    replaceDraws: rebuildLimits.replaceDraws,
    traceErasure: erasures.traceErasure,
  } satisfies { readonly [name: string]: (...args: Arguments) => Append<unknown> },
} as const;
