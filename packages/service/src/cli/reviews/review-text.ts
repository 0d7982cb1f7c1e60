/** A review for a person at a terminal: the whole write first, then what others say about it. */

import type { Paint } from '@writecheck/adapters/ask';
import { DIGEST_MEMBERS, type JsonObject, visible } from '@writecheck/contract';
import type { ShownReview } from '../../reviews/show-review.ts';

export function reviewLine({ id, state, because, expiresAt, controls, intent }: ShownReview): string {
  const when = state === 'open' ? `expires ${expiresAt}` : (because ?? '');
  const { system, operation, objectType, objectRef, field } = intent as { readonly [name: string]: string };
  const target = [operation, objectType, objectRef, field].filter((part) => part !== undefined);
  const names = controls.map(({ controlId }) => controlId).join(', ');
  return `${id}  ${state}  ${when}  ${visible(`${target.join(' ')} in ${system}`)}  for ${visible(names)}`;
}

export function reviewText(review: ShownReview, paint: Paint): string {
  const intent = review.intent as JsonObject;
  const lines = [paint('bold', `${review.id}  ${review.state}${because(review)}`), ''];
  lines.push(paint('bold', '  the write'));
  for (const member of DIGEST_MEMBERS) {
    if (intent[member] !== undefined && intent[member] !== null) lines.push(row(member, intent[member]));
  }
  lines.push(row('digest', review.intentDigest), '', paint('bold', '  needs'));
  for (const { controlId, approvals, identity, groups } of review.controls) {
    const from = groups === null ? '' : ` from ${groups.map(visible).join(' or ')}`;
    lines.push(
      `    ${visible(controlId)}: ${approvals} approval${approvals === 1 ? '' : 's'}${from}, identity ${identity}`,
    );
  }
  for (const { need } of review.alsoNeeded) lines.push(`    also from the caller: ${visible(need)}`);
  lines.push('', paint('bold', '  said by the caller, not part of what you approve'));
  for (const [member, value] of Object.entries(intent)) {
    if (!(DIGEST_MEMBERS as readonly string[]).includes(member)) lines.push(row(member, value));
  }
  for (const asker of review.askedBy) {
    lines.push(`    requested by ${visible(asker.keyName ?? asker.keyId)} at ${asker.at}`);
    for (const member of ['justification', 'onBehalfOf', 'externalRef'] as const) {
      const said = asker[member];
      if (said !== null) lines.push(row(member, said));
    }
  }
  for (const { verdict, by, comment, at } of review.verdicts) {
    lines.push(
      '',
      `  ${verdict} by ${visible(by?.name ?? by?.id ?? '')} at ${at}: ${visible(comment ?? '')}`,
    );
  }
  for (const { text, by, at } of review.comments) {
    lines.push('', `  ${visible(by?.name ?? by?.id ?? '')} at ${at}: ${visible(text)}`);
  }
  for (const { id, state, at } of review.earlier ?? []) lines.push('', `  earlier: ${id} ${state} at ${at}`);
  lines.push('', paint('dim', `  expires ${review.expiresAt}  ${review.url}`), '');
  return lines.join('\n');
}

function because({ because: why }: ShownReview): string {
  return why === undefined ? '' : ` (${why})`;
}

/** Anything that is not text is shown as JSON, so that its escapes are visible too. */
function row(member: string, value: unknown): string {
  return `    ${visible(member).padEnd(16)} ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`;
}
