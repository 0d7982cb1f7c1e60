/** Parses `controlEvidence`: what the caller shows for its controls. */
import {
  ATTESTED_ITEMS_LIMIT,
  EVIDENCE_ITEMS_LIMIT,
  EVIDENCE_REF_LIMIT_CHARACTERS,
  RESULT_LIMIT_CHARACTERS,
} from './limits.ts';
import {
  attestationRule,
  charactersRule,
  controlIdRule,
  instantRule,
  kindOf,
  type MemberRule,
  nameRule,
  note,
} from './member-rules.ts';
import { type Findings, findUnknownMembers } from './parse-findings.ts';
import type { EvidenceItem } from './write-intent.ts';

/** In the order in which a parsed item has them. */
const ITEM_RULES: ReadonlyMap<string, MemberRule> = new Map([
  ['controlId', controlIdRule],
  ['source', nameRule],
  ['result', charactersRule(RESULT_LIMIT_CHARACTERS)],
  ['checkedAt', instantRule('its age counts as unknown')],
  ['expiresAt', instantRule('it counts as past')],
  ['evidenceRef', charactersRule(EVIDENCE_REF_LIMIT_CHARACTERS)],
  ['attestation', attestationRule],
]);
export const ITEM_MEMBERS: readonly string[] = [...ITEM_RULES.keys()];
export const REQUIRED_ITEM_MEMBERS: readonly string[] = ['controlId', 'source', 'result'];

/** INVARIANT: what it returns is an evidence list only if it noted no fault. */
export function parseEvidence(value: unknown, findings: Findings): readonly EvidenceItem[] {
  if (!Array.isArray(value)) {
    note(findings, '', 'controlEvidence', `must be an array, not ${kindOf(value)}`);
    return [];
  }
  if (value.length > EVIDENCE_ITEMS_LIMIT) {
    const message = `has ${value.length} items, at most ${EVIDENCE_ITEMS_LIMIT} are allowed`;
    note(findings, '', 'controlEvidence', message);
  }
  const items = value
    .slice(0, EVIDENCE_ITEMS_LIMIT)
    .map((item: unknown, index) => parseItem(item, findings, `/controlEvidence/${index}`));
  const attested = items.filter((item) => item.attestation !== undefined).length;
  if (attested > ATTESTED_ITEMS_LIMIT) {
    const message = `has ${attested} attested items, at most ${ATTESTED_ITEMS_LIMIT} are allowed`;
    note(findings, '', 'controlEvidence', message);
  }
  return items;
}

function parseItem(value: unknown, findings: Findings, pointer: string): EvidenceItem {
  const item: { [member: string]: unknown } = {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    findings.otherFaults.push({ pointer, message: `must be an object, not ${kindOf(value)}` });
    return item as unknown as EvidenceItem;
  }
  findUnknownMembers(value, ITEM_RULES, pointer, findings);
  for (const [member, rule] of ITEM_RULES) {
    const given = Object.hasOwn(value, member) ? (value as { [member: string]: unknown })[member] : undefined;
    if (given !== undefined && given !== null) {
      rule(given, findings, pointer, member);
      item[member] = given;
    } else if (REQUIRED_ITEM_MEMBERS.includes(member)) {
      note(findings, pointer, member, 'is required');
    }
  }
  return item as unknown as EvidenceItem;
}
