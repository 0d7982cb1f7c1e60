/** `writecheck policy explain`: which rules apply to a write, and what they require. */
import {
  type EngineDecision,
  intentDigest,
  type LimitState,
  oneLine,
  parseInstant,
  type WriteIntent,
} from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import {
  type AttestationChecks,
  type Control,
  decide,
  EMPTY_SNAPSHOT,
  isWhole,
  type Match,
  type Mode,
  outcomeOf,
  type Profile,
  type ProfileDocument,
  REVIEW_DESK,
  RecordFacts,
  type ReviewRule,
  SUPPOSED_KEY,
  shownFacts,
  supposeDrawn,
  verifyAttestations,
} from '@writecheck/engine';
import { readIntent } from '../read-intent.ts';
import { type GoodBundle, loadBundleOrRunning } from './bundle.ts';
import { aboutAuthority, aboutCover } from './explain-cover.ts';
import type { ServiceOptions } from './service.ts';

export async function policyExplain(
  intentFile: string,
  path: string | undefined,
  options: ServiceOptions & { readonly now?: string; readonly workspace?: string; readonly json: boolean },
): Promise<void> {
  const { intent } = await readIntent(intentFile);
  const now = options.now === undefined ? { ms: Date.now() } : parseInstant(options.now);
  if (now === null)
    throw new CommandFailure(`\`${options.now}\` is not a date-time such as 2026-11-15T12:00:00Z`);
  const loaded = await loadBundleOrRunning(path ?? 'running', options);
  // Until the first bundle, a person may approve every control.
  const bundle = loaded.isFirst ? { ...loaded, snapshot: EMPTY_SNAPSHOT } : loaded;
  const facts = await factsFor(intent, bundle, options.workspace);
  const readings = supposeDrawn(intent, facts, bundle.snapshot, now.ms, {});
  const decided = decide(intent, facts, bundle.snapshot, now.ms, {
    freezes: [],
    readings,
    firstKeyId: SUPPOSED_KEY,
  });
  process.stdout.write(
    options.json
      ? `${JSON.stringify(decided, null, 2)}\n`
      : `${[...explain(intent, decided, bundle, facts, now.ms), ...aboutSignatures(intent, options.workspace)].join('\n')}\n`,
  );
}

/** An attestation names its workspace, so without one none is valid. */
async function factsFor(
  intent: WriteIntent,
  { snapshot }: GoodBundle,
  workspace: string | undefined,
): Promise<readonly AttestationChecks[]> {
  if (workspace === undefined) return [];
  return verifyAttestations({ intent, intentDigest: intentDigest(intent), workspace, snapshot });
}

function aboutSignatures(intent: WriteIntent, workspace: string | undefined): readonly string[] {
  if (intent.controlEvidence?.some(({ source }) => source === REVIEW_DESK) === true)
    return [
      `Only the service knows whether a review was approved: an item from ${REVIEW_DESK} counts as untrusted here.`,
    ];
  if (!intent.controlEvidence?.some(({ attestation }) => attestation !== undefined)) return [];
  return [
    workspace === undefined
      ? 'Signatures are not verified without --workspace: a signed item counts as untrusted.'
      : 'Only the service knows whether an attestation was used up or revoked.',
  ];
}

function explain(
  intent: WriteIntent,
  decided: EngineDecision,
  { documents, snapshot }: GoodBundle,
  facts: readonly AttestationChecks[],
  nowMs: number,
): readonly string[] {
  const profiles = documents.filter((document): document is ProfileDocument => document.kind === 'Profile');
  const rules = explainRules(intent, profiles, snapshot, facts, nowMs);
  const lines = [
    ...rules.lines,
    ...aboutControls(decided, snapshot, rules),
    ...aboutAuthority(profiles, rules.applying),
    ...aboutLimits(decided.limits ?? []),
    '',
    `${decided.decision}  ${decided.reasonCode}  (${decided.writePolicy})`,
    decided.reason,
  ];
  if (decided.review !== undefined)
    lines.push(`A person could resolve this in a review: ${decided.review.controls.join(', ')}.`);
  if (decided.warn)
    lines.push(`If everything in observe mode were enforced, it would be ${decided.evaluatedDecision}.`);
  return lines;
}

/** With the rules that only observe, and the enforcing profiles that apply or permit. */
function explainRules(
  intent: WriteIntent,
  profiles: readonly ProfileDocument[],
  snapshot: GoodBundle['snapshot'],
  facts: readonly AttestationChecks[],
  nowMs: number,
) {
  const lines = ['rules'];
  const recordFacts = new RecordFacts({ items: intent.controlEvidence ?? [], facts, nowMs }, snapshot);
  const workflow = intent.workflowId === undefined ? undefined : snapshot.workflows.get(intent.workflowId);
  if (intent.workflowId !== undefined) {
    lines.push(
      workflow === undefined
        ? `  workflow ${intent.workflowId} is not registered`
        : `  workflow ${intent.workflowId} is registered (${workflow.mode.writePolicy})`,
    );
  }
  const matching = new Map(snapshot.matchingProfiles(intent).map((profile) => [profile.id, profile]));
  const observers = new Set<string>();
  const applying = new Set<string>();
  const permits: string[] = [];
  const applied = new Set(outcomeOf(intent, facts, snapshot, nowMs).profiles.map(({ id }) => id));
  const covering: Profile[] = [];
  if (workflow !== undefined && observes(workflow.mode, nowMs)) observers.add(workflow.ref);
  for (const { id, when, match = {} } of profiles) {
    const named = workflow?.profiles.find((profile) => profile.id === id);
    const own = matching.get(id);
    const profile = named ?? own;
    if (profile === undefined) continue;
    const isWatching = observes(profile.mode, nowMs);
    if (isWatching) observers.add(profile.ref);
    const says =
      own === undefined ? 'skips' : (own.when?.(intent, nowMs, undefined, recordFacts.of) ?? 'applies');
    const isSkipped = says === 'skips' || (profile.permit && !applied.has(id));
    const result = named === undefined && isSkipped ? 'skips' : 'applies';
    const condition = when === undefined ? '' : `, and its condition ${CONDITION_WORDS[says]} (${when})`;
    const why = named === undefined ? `${whyItMatches(match, intent)}${condition}` : 'the workflow names it';
    const verb =
      result === 'skips' ? 'does not apply' : isWatching ? 'applies, and only observes' : 'applies';
    const covers = result === 'applies' && says === 'applies' && isWhole(profile, intent);
    const gives = covers || isWatching || result === 'skips' ? '' : '; it covers nothing, so it only adds';
    lines.push(`  profile ${id} ${verb}: ${why}${gives}`);
    if (own !== undefined && when !== undefined) lines.push(...aboutFacts(when, recordFacts, nowMs));
    if (covers && !isWatching) covering.push(profile);
    if (result !== 'skips' && !isWatching) applying.add(id);
    if (result !== 'skips' && profile.permit && !isWatching) permits.push(id);
  }
  if (lines.length === 1) lines.push('  none applies; the defaults do');
  else lines.push(aboutCover(intent, covering));
  return { lines, observers, applying, permits };
}

function aboutControls(
  decided: EngineDecision,
  snapshot: GoodBundle['snapshot'],
  { observers, permits }: ReturnType<typeof explainRules>,
): readonly string[] {
  const lines = ['', 'controls'];
  for (const { controlId, sources } of decided.requirementProvenance) {
    const evaluation = decided.controlEvaluations.find((one) => one.controlId === controlId);
    const by = sources.map((source) => (observers.has(source) ? `${source} (observes)` : source));
    lines.push(`  ${controlId}  required by ${by.join(', ')}`);
    lines.push(`    requires ${asks(snapshot.controlOf(controlId))}`);
    lines.push(`    with this evidence: ${evaluation?.status ?? 'not evaluated'}`);
  }
  if (decided.requirementProvenance.length === 0)
    lines.push(
      permits.length === 0
        ? '  none is required, so authority must be shown'
        : `  none is required; ${permits.join(', ')} permits this kind of write`,
    );
  return lines;
}

/** Shows limits as if nothing had been drawn before: only a service knows the draws. */
function aboutLimits(limits: readonly LimitState[]): readonly string[] {
  if (limits.length === 0) return [];
  const lines = limits.map(({ id, max, per, drawn, draw, beyond, observed }) => {
    const sum = `${drawn ?? 'its group cannot be read'} + ${draw ?? 'a draw that cannot be read'}`;
    const result = beyond ? `beyond ${max}` : `within ${max}`;
    return `  ${id}: ${sum}, ${result} (${per})${observed ? '; it only observes' : ''}`;
  });
  return ['', 'limits, as if nothing had been drawn before', ...lines];
}

/** What the record says, as far as a condition reads it. */
function aboutFacts(when: string, recordFacts: RecordFacts, nowMs: number): readonly string[] {
  return shownFacts(when, recordFacts.of).map(({ controlId, path, value }) => {
    const { item, facts, evaluation } = recordFacts.evaluated(controlId);
    if (recordFacts.of(controlId) === null) {
      const why =
        evaluation.status === 'satisfied' ? 'the item says nothing' : `evidence ${evaluation.status}`;
      return `    ${path}: no facts (${why})`;
    }
    const said = value === undefined ? 'no value' : oneLine(JSON.stringify(value));
    const age = facts.kind === 'verified' ? `, ${Math.round((nowMs - facts.checkedAtMs) / 1_000)} s old` : '';
    return `    ${path}: ${said} (from ${item?.source}${age})`;
  });
}

function observes({ writePolicy, observeUntilMs }: Mode, nowMs: number): boolean {
  return writePolicy === 'observe' && (observeUntilMs === null || nowMs < observeUntilMs);
}

/** Omitting a member does not avoid a rule, which may surprise a reader who sees the rule apply. */
function whyItMatches(match: Match, intent: WriteIntent): string {
  const left = (['objectType', 'field', 'operation'] as const).filter(
    (member) => match[member] !== undefined && intent[member] === undefined,
  );
  if (left.length === 0) return 'it matches';
  const names = left.map((member) => `\`${member}\``);
  const list = names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `the intent omits ${list}, which counts as matching`;
}

const CONDITION_WORDS = {
  applies: 'is true',
  unreadable: 'cannot be evaluated',
  skips: 'does not hold',
  error: 'fails',
} as const;

function asks({ maxAgeMs, sources, assurance, useOnce, bindObject, review }: Control): string {
  const parts = [assurance === 'attested' ? 'a signed PASS' : 'a PASS'];
  if (sources !== null) parts.push(`from ${sources.join(' or ')}`);
  if (maxAgeMs !== null) parts.push(`at most ${maxAgeMs / 1_000} s old`);
  if (useOnce) parts.push('that counts once');
  if (bindObject) parts.push('that may be bound to the object alone');
  if (review !== null) parts.push(`or ${approval(review)} in a review`);
  return parts.join(', ');
}

function approval({ approvals, groups, identity }: ReviewRule): string {
  const count = approvals === 1 ? 'one approval' : `${approvals} approvals`;
  const from = groups === null ? '' : ` from ${groups.join(' or ')}`;
  return `${count}${from} (${IDENTITY_WORDS[identity]})`;
}

const IDENTITY_WORDS = {
  any: 'an owner key will do',
  person: 'by a signed-in person',
  passkey: 'signed with a passkey',
} as const;
