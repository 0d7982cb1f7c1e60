/** The arguments of `commit`, by name. */
import { type AdmittedGroup, accountKey, attestationKey, nameIn } from '../commit/admit.ts';
import type { BuiltSegment } from '../commit/segment-builder.ts';
import { bytesOfOutcome, dayOf, type StoredBytes } from '../commit/stored-bytes.ts';
import { encodeSegment } from '../log/segment.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import { sortedBy } from '../tables/operation.ts';
import type { HeldLog } from './log-lease.ts';
import { storableId } from './storable-text.ts';

/** Lists the accounts in the order in which `commit` reports how much of each is used. */
export function chargedAccounts({ accounts }: AdmittedGroup<unknown>) {
  return sortedBy(accounts, accountKey);
}

/** What is stored besides the decisions, and the ceiling of a day. */
export interface StoredBeside {
  readonly outcomes: readonly NewOutcome[];
  readonly storesAtMost: number | null;
}

function storedIn(
  { stored }: AdmittedGroup<unknown>,
  outcomes: readonly NewOutcome[],
): readonly StoredBytes[] {
  const all = new Map(stored.map((each) => [nameIn(each.workspace, each.day), { ...each }]));
  for (const outcome of outcomes) {
    const { workspace, recordedAtMs } = outcome;
    const day = dayOf(recordedAtMs);
    const name = nameIn(workspace, day);
    const each = all.get(name) ?? { workspace, day, bytes: 0 };
    all.set(name, { ...each, bytes: each.bytes + bytesOfOutcome(outcome) });
  }
  return sortedBy([...all.values()], ({ workspace, day }) => nameIn(workspace, day));
}

/** Lists are sorted, so that two commits never wait for each other in a circle. */
export function commitArguments(
  log: HeldLog,
  segment: BuiltSegment,
  admission: AdmittedGroup<unknown>,
  { outcomes, storesAtMost }: StoredBeside,
) {
  const accounts = chargedAccounts(admission);
  const answers = sortedBy(admission.answers, ({ workspace, key }) => nameIn(workspace, key));
  const consumes = sortedBy(admission.consumes, attestationKey);
  const { restsOn, bundles } = admission;
  const stored = storedIn(admission, outcomes);
  // What is refused is the decisions: an outcome is small, and an allow has one.
  const limited = new Set(admission.stored.map(({ workspace, day }) => nameIn(workspace, day)));
  const { next, nodes } = segment;
  return {
    // The end of the log as the caller knows it, and which writer the caller is.
    p_log: log.number,
    p_writer: log.writer,
    p_size: log.size,
    p_lease: log.lease,
    p_frontier: Buffer.from(next.frontier),
    p_newest_ms: next.newestMs,
    p_node_levels: nodes.map(({ level }) => level),
    p_node_numbers: nodes.map((node) => node.number),
    p_node_hashes: nodes.map(({ hash }) => Buffer.from(hash)),
    p_count: segment.entries.length,
    p_oldest_ms: segment.oldestMs,
    p_latest_ms: segment.latestMs,
    p_leaf_hashes: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_use_workspaces: accounts.map(({ workspace }) => workspace),
    p_use_periods: accounts.map(({ period }) => period),
    p_use_kinds: accounts.map(({ kind }) => kind),
    p_use_counts: accounts.map(({ charged }) => charged),
    p_use_limits: accounts.map(({ quota }) => quota),
    p_key_workspaces: answers.map(({ workspace }) => workspace),
    p_keys: answers.map(({ key }) => key),
    p_key_digests: answers.map(({ row }) => row.request_digest),
    p_key_claimed: answers.map(({ claimedAtMs }) => claimedAtMs),
    p_key_expires: answers.map(({ row }) => row.expires_ms),
    p_key_whiles: answers.map(({ row }) => row.replayable_while),
    p_key_responses: answers.map(({ row }) => row.response),
    p_key_replaces: answers.map(({ replaces }) => replaces),
    p_used_workspaces: consumes.map(({ workspace }) => workspace),
    p_used_sources: consumes.map(({ source }) => source),
    p_used_jtis: consumes.map(({ jti }) => storableId(jti)),
    p_rest_workspaces: restsOn.map(({ workspace }) => workspace),
    p_rest_sources: restsOn.map(({ source }) => source),
    p_rest_jtis: restsOn.map(({ jti }) => storableId(jti)),
    p_asking_keys: admission.askingKeys,
    p_redeem_workspaces: admission.redemptions.map(({ workspace }) => workspace),
    p_redeem_decisions: admission.redemptions.map(({ decisionId }) => decisionId),
    p_redeem_keys: admission.redemptions.map(({ keyId }) => keyId),
    p_redeem_ms: admission.redemptions.map(({ atMs }) => atMs),
    p_freeze_workspaces: [...admission.freezeNumbers.keys()],
    p_freeze_numbers: [...admission.freezeNumbers.values()],
    p_store_workspaces: stored.map(({ workspace }) => workspace),
    p_store_days: stored.map(({ day }) => day),
    p_store_bytes: stored.map(({ bytes }) => bytes),
    p_store_limited: stored.map(({ workspace, day }) => limited.has(nameIn(workspace, day))),
    p_store_most: storesAtMost,
    p_bundle_workspaces: bundles.map(({ workspace }) => workspace),
    p_bundle_digests: bundles.map(({ digest }) => digest),
    p_bundle_limits: bundles.map(({ hasLimits }) => hasLimits),
  };
}
