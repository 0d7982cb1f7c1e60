/**
 * The libraries the engine is compared with. Each decides the same question in its own language: is this a vendor of the
 * ERP, was authority found with an equal value, and does each of five controls have a PASS from an accepted source, not
 * older than its max age, not expired, not dated more than a minute in the future, and without a contrary result?
 * The others return yes or no; the engine also returns evaluations, provenance, a reason and an expiry.
 * If a language cannot search a list, it gets the evidence by control; if it has no dates, it gets milliseconds.
 */
import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { Environment } from '@marcbachmann/cel-js';
import { parseInstant, type WriteIntent } from '@writecheck/contract';
import { compile, decide, type PolicySnapshot } from '@writecheck/engine';
import { newEnforcer, newModelFromString } from 'casbin';
import { Engine } from 'json-rules-engine';

export interface Peer {
  readonly name: string;
  /** Makes one decision; true is an allow. The intents differ in one result. */
  readonly decide: (intent: WriteIntent) => boolean | Promise<boolean>;
}

export const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const CONTROLS = ['identity', 'authority', 'approval', 'dual_control', 'sanctions'];
const MAX_AGE_MS = 15 * 60_000;
const AHEAD_MS = 60_000;
const SOURCE = 'okta';

export function benchIntent(result: 'PASS' | 'FAIL' = 'PASS'): WriteIntent {
  return {
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-1001',
    field: 'iban',
    agentValue: 'DE89370400440532013000',
    authorityValue: 'DE89370400440532013000',
    authoritySource: 'vendor-master',
    authorityFound: true,
    requiredControls: CONTROLS,
    controlEvidence: CONTROLS.map((controlId, index) => ({
      controlId,
      source: SOURCE,
      result: index === CONTROLS.length - 1 ? result : 'PASS',
      checkedAt: '2026-11-15T11:55:00Z',
      evidenceRef: `EV-${index}`,
    })),
  };
}

/** A bundle with this many profiles, of which one applies. */
export function benchSnapshot(profiles: number): PolicySnapshot {
  const control = { maxAge: '15m', sources: [SOURCE] };
  const documents: unknown[] = [
    { kind: 'ControlPack', id: 'core', controls: Object.fromEntries(CONTROLS.map((id) => [id, control])) },
    { kind: 'Profile', id: 'vendor', match: { system: 'erp', objectType: 'vendor' }, require: CONTROLS },
  ];
  for (let index = 1; index < profiles; index += 1) {
    documents.push({
      kind: 'Profile',
      id: `other-${index}`,
      match: { system: index % 3 === 0 ? 'erp' : `system-${index % 40}`, objectType: `type-${index}` },
      when: 'intent.metadata.context.amount > 1000.0',
      require: [`control-${index}`],
    });
  }
  const compiled = compile(documents);
  if (compiled.kind !== 'snapshot') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

export async function makePeers(): Promise<readonly Peer[]> {
  const snapshot = benchSnapshot(1);
  return [
    { name: 'writecheck', decide: (intent) => decide(intent, [], snapshot, NOW_MS).decision === 'allow' },
    celPeer(),
    cedarPeer(),
    await casbinPeer(),
    jsonRulesPeer(),
  ];
}

function celPeer(): Peer {
  const environment = new Environment({ unlistedVariablesAreDyn: true });
  const program = environment.parse(`
    intent.system == "erp" && intent.objectType == "vendor" &&
    intent.authorityFound && intent.agentValue == intent.authorityValue &&
    intent.requiredControls.all(control,
      intent.controlEvidence.exists(e, e.controlId == control && e.result == "PASS"
        && e.source in controls[control].sources
        && now - timestamp(e.checkedAt) <= controls[control].maxAge
        && timestamp(e.checkedAt) - now <= ahead
        && (!has(e.expiresAt) || timestamp(e.expiresAt) > now))
      && !intent.controlEvidence.exists(e, e.controlId == control && e.result != "PASS"))`);
  const duration = (text: string) => environment.parse(`duration("${text}")`)({});
  const control = { sources: [SOURCE], maxAge: duration('15m') };
  const fixed = {
    now: new Date(NOW_MS),
    ahead: duration('60s'),
    controls: Object.fromEntries(CONTROLS.map((id) => [id, control])),
  };
  return { name: '@marcbachmann/cel-js', decide: (intent) => program({ intent, ...fixed }) === true };
}

function cedarPeer(): Peer {
  const conditions = CONTROLS.map(
    (id) => `context.evidence.${id}.result == "PASS" && ["${SOURCE}"].contains(context.evidence.${id}.source)
      && context.now - context.evidence.${id}.checkedAtMs <= ${MAX_AGE_MS}
      && context.evidence.${id}.checkedAtMs - context.now <= ${AHEAD_MS}
      && (!(context.evidence.${id} has expiresAtMs) || context.evidence.${id}.expiresAtMs > context.now)`,
  );
  const parsed = cedar.preparsePolicySet('bench', {
    staticPolicies: `permit(principal, action, resource) when { context.system == "erp" && context.objectType == "vendor" && context.authorityFound
      && context.agentValue == context.authorityValue && ${conditions.join(' && ')} };`,
  });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed));
  return {
    name: '@cedar-policy/cedar-wasm',
    decide: (intent) => {
      const answer = cedar.statefulIsAuthorized({
        principal: { type: 'Agent', id: 'a' },
        action: { type: 'Action', id: 'write' },
        resource: { type: 'Object', id: intent.objectRef ?? '' },
        context: {
          system: intent.system,
          objectType: intent.objectType ?? '',
          authorityFound: intent.authorityFound === true,
          agentValue: intent.agentValue ?? '',
          authorityValue: intent.authorityValue ?? '',
          now: NOW_MS,
          evidence: Object.fromEntries(evidenceOf(intent).map(({ controlId, ...item }) => [controlId, item])),
        },
        preparsedPolicySetId: 'bench',
        preparsedSchemaName: null,
        validateRequest: false,
        entities: [],
      } as unknown as Parameters<typeof cedar.statefulIsAuthorized>[0]);
      return answer.type === 'success' && answer.response.decision === 'allow';
    },
  };
}

async function casbinPeer(): Promise<Peer> {
  const enforcer = await newEnforcer(
    newModelFromString(`
[request_definition]
r = ev, now
[policy_definition]
p = control, source, maxAge
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.ev.controlId == p.control && r.ev.result == "PASS" && r.ev.source == p.source && r.now - r.ev.checkedAtMs <= p.maxAge && r.ev.checkedAtMs - r.now <= ${AHEAD_MS} && r.ev.expiresAtMs > r.now`),
  );
  for (const id of CONTROLS) await enforcer.addPolicy(id, SOURCE, String(MAX_AGE_MS));
  return {
    name: 'casbin',
    decide: (intent) =>
      intent.authorityFound === true &&
      intent.agentValue === intent.authorityValue &&
      intent.system === 'erp' &&
      intent.objectType === 'vendor' &&
      evidenceOf(intent).every((item) => enforcer.enforceSync({ expiresAtMs: Infinity, ...item }, NOW_MS)),
  };
}

function jsonRulesPeer(): Peer {
  const engine = new Engine();
  engine.addRule({
    event: { type: 'allow' },
    conditions: {
      all: [
        { fact: 'system', operator: 'equal', value: 'erp' },
        { fact: 'objectType', operator: 'equal', value: 'vendor' },
        { fact: 'authorityFound', operator: 'equal', value: true },
        { fact: 'agentValue', operator: 'equal', value: { fact: 'authorityValue' } },
        ...CONTROLS.flatMap((id) => [
          { fact: id, path: '$.result', operator: 'equal', value: 'PASS' },
          { fact: id, path: '$.source', operator: 'in', value: [SOURCE] },
          { fact: id, path: '$.ageMs', operator: 'lessThanInclusive', value: MAX_AGE_MS },
          { fact: id, path: '$.ageMs', operator: 'greaterThanInclusive', value: -AHEAD_MS },
          { fact: id, path: '$.restMs', operator: 'greaterThan', value: 0 },
        ]),
      ],
    },
  });
  return {
    name: 'json-rules-engine',
    decide: async (intent) => {
      const facts: Record<string, unknown> = {
        system: intent.system,
        objectType: intent.objectType,
        authorityFound: intent.authorityFound,
        agentValue: intent.agentValue,
        authorityValue: intent.authorityValue,
      };
      for (const item of evidenceOf(intent)) {
        const restMs = (item.expiresAtMs ?? Number.POSITIVE_INFINITY) - NOW_MS;
        facts[item.controlId] = { ...item, ageMs: NOW_MS - item.checkedAtMs, restMs };
      }
      const { events } = await engine.run(facts);
      return events.length > 0;
    },
  };
}

function evidenceOf(intent: WriteIntent) {
  return (intent.controlEvidence ?? []).map(({ controlId, result, source, checkedAt, expiresAt }) => ({
    controlId,
    result,
    source,
    checkedAtMs: parseInstant(checkedAt ?? '')?.ms ?? 0,
    ...(expiresAt !== undefined && { expiresAtMs: parseInstant(expiresAt)?.ms ?? 0 }),
  }));
}
