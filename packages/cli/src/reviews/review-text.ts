/** A review for a person at a terminal: the whole write first, then the statements of others about it. */
import type { Paint } from '@writecheck/adapters/ask';
import { areLookAlikes, DIGEST_MEMBERS, type JsonObject, marked } from '@writecheck/contract';
import type { ShownReview } from '@writecheck/service/features/reviews/show-review';

export function reviewLine({ id, state, because, expiresAt, controls, intent }: ShownReview): string {
  const when = state === 'open' ? `expires ${expiresAt}` : (because ?? '');
  const { system, operation, objectType, objectRef, field } = intent as { readonly [name: string]: string };
  const target = [operation, objectType, objectRef, field].filter((part) => part !== undefined);
  const names = controls.map(({ controlId }) => controlId).join(', ');
  return `${id}  ${state}  ${when}  ${marked(`${target.join(' ')} in ${system}`)}  for ${marked(names)}`;
}

export function reviewText(review: ShownReview, paint: Paint): string {
  const intent = review.intent as JsonObject;
  const lines = [paint('bold', `${review.id}  ${review.state}${because(review)}`), ''];
  lines.push(paint('bold', '  the write'));
  for (const member of DIGEST_MEMBERS) {
    if (intent[member] !== undefined && intent[member] !== null) lines.push(row(member, intent[member]));
  }
  const { agentValue, authorityValue } = intent as { readonly [member: string]: string };
  if (areLookAlikes(agentValue, authorityValue)) lines.push('    the two values look identical but differ');
  lines.push(row('digest', review.intentDigest), '', paint('bold', '  needs'));
  for (const { controlId, approvals, identity, groups } of review.controls) {
    const from = groups === null ? '' : ` from ${groups.map(marked).join(' or ')}`;
    lines.push(
      `    ${marked(controlId)}: ${approvals} approval${approvals === 1 ? '' : 's'}${from}, identity ${identity}`,
    );
  }
  for (const { need } of review.alsoNeeded) lines.push(`    also from the caller: ${marked(need)}`);
  lines.push('', paint('bold', '  said by the caller, not part of what you approve'));
  for (const [member, value] of Object.entries(intent)) {
    if (!(DIGEST_MEMBERS as readonly string[]).includes(member)) lines.push(row(member, value));
  }
  for (const asker of review.askedBy) {
    lines.push(`    requested by ${marked(asker.keyName ?? asker.keyId)} at ${asker.at}`);
    for (const member of ['justification', 'onBehalfOf', 'externalRef'] as const) {
      const said = asker[member];
      if (said !== null) lines.push(row(member, said));
    }
  }
  for (const { verdict, by, comment, at } of review.verdicts) {
    lines.push('', `  ${verdict} by ${marked(by?.name ?? by?.id ?? '')} at ${at}: ${marked(comment ?? '')}`);
  }
  for (const { text, by, at } of review.comments) {
    lines.push('', `  ${marked(by?.name ?? by?.id ?? '')} at ${at}: ${marked(text)}`);
  }
  for (const { id, state, at } of review.earlier ?? []) lines.push('', `  earlier: ${id} ${state} at ${at}`);
  for (const { decisionId, at, redeemedAt } of review.allowedLately ?? []) {
    const ran = redeemedAt === null ? '' : `, carried out at ${redeemedAt}`;
    lines.push('', `  the same write was allowed at ${at}${ran}: ${decisionId}`);
  }
  for (const { name } of review.excludedByCaller ?? [])
    lines.push('', `  may not approve, because the caller names them: ${marked(name)}`);
  lines.push('', paint('dim', `  expires ${review.expiresAt}  ${review.url}`), '');
  return lines.join('\n');
}

function because({ because: why }: ShownReview): string {
  return why === undefined ? '' : ` (${why})`;
}

/** Anything that is not text is shown as JSON, so that its escapes are visible too. */
function row(member: string, value: unknown): string {
  return `    ${marked(member).padEnd(16)} ${marked(typeof value === 'string' ? value : JSON.stringify(value))}`;
}
