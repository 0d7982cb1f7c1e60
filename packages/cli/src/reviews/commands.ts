/** `writecheck reviews ...`: the inbox of a workspace on a terminal, with an owner key. */
import { createInterface } from 'node:readline/promises';
import { painterFor } from '@writecheck/adapters/ask';
import { type DigestInput, intentDigest } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import type { ShownReview } from '@writecheck/service/features/reviews/show-review';
import { askService, type ServiceOptions } from '../policy/service.ts';
import { reviewLine, reviewText } from './review-text.ts';

interface ListOptions extends ServiceOptions {
  readonly state?: string;
  readonly json: boolean;
}

export async function listReviewsCommand(options: ListOptions): Promise<void> {
  const reviews: ShownReview[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200' });
    if (options.state !== undefined) query.set('state', options.state);
    if (cursor !== null) query.set('cursor', cursor);
    const { body } = await askService('GET', `/v1/reviews?${query}`, options);
    const page = body as { readonly reviews: readonly ShownReview[]; readonly nextCursor: string | null };
    reviews.push(...page.reviews);
    cursor = page.nextCursor;
  } while (cursor !== null);
  const lines = reviews.map(reviewLine);
  process.stdout.write(
    options.json ? `${JSON.stringify(reviews, null, 2)}\n` : `${[...lines, ''].join('\n') || 'none\n'}`,
  );
}

export async function showReviewCommand(
  id: string,
  options: ServiceOptions & { readonly json: boolean },
): Promise<void> {
  const review = await readReview(id, options);
  const text = options.json
    ? `${JSON.stringify(review, null, 2)}\n`
    : reviewText(review, painterFor(process.stdout));
  process.stdout.write(text);
}

interface ApproveOptions extends ServiceOptions {
  readonly comment?: string;
  readonly yes: boolean;
  readonly digest?: string;
}

/**
 * INVARIANT: the approved write is the one that was shown. The digest is computed from the write on the screen,
 * or given by a user who runs the command without looking.
 */
export async function approveCommand(id: string, options: ApproveOptions): Promise<void> {
  if (options.yes && options.digest === undefined) {
    throw new CommandFailure(
      '--yes approves without asking, so name what you approve with --digest sha256:...',
    );
  }
  const review = await readReview(id, options);
  const digest = intentDigest(review.intent as DigestInput);
  if (digest !== review.intentDigest) {
    throw new CommandFailure(
      'the write shown is not the one under review; do not approve it, tell the operator',
    );
  }
  if (options.digest !== undefined && options.digest !== digest) {
    throw new CommandFailure(`the review is of another write: its digest is ${digest}`);
  }
  process.stdout.write(reviewText(review, painterFor(process.stdout)));
  if (review.state !== 'open') throw new CommandFailure(`the review is ${review.state}; nothing was decided`);
  if (!options.yes) await confirmTyped('approve');
  await giveVerdict(id, options, { verdict: 'approve', intentDigest: digest, comment: options.comment });
}

export async function rejectCommand(
  id: string,
  options: ServiceOptions & { readonly comment: string; readonly yes: boolean },
): Promise<void> {
  const { intentDigest: digest } = await shownAndConfirmed(id, options, 'reject');
  await giveVerdict(id, options, { verdict: 'reject', intentDigest: digest, comment: options.comment });
}

export async function cancelCommand(
  id: string,
  options: ServiceOptions & { readonly reason?: string; readonly yes: boolean },
): Promise<void> {
  await shownAndConfirmed(id, options, 'cancel');
  const { reason } = options;
  const json = reason === undefined ? {} : { reason };
  tell((await askService('POST', `${pathOf(id)}/cancel`, options, json)).body);
}

async function shownAndConfirmed(
  id: string,
  options: ServiceOptions & { readonly yes: boolean },
  word: string,
): Promise<ShownReview> {
  const review = await readReview(id, options);
  process.stdout.write(reviewText(review, painterFor(process.stdout)));
  if (!options.yes) await confirmTyped(word);
  return review;
}

async function readReview(id: string, options: ServiceOptions): Promise<ShownReview> {
  const { body } = await askService('GET', pathOf(id), options);
  return (body as { readonly review: ShownReview }).review;
}

async function giveVerdict(id: string, options: ServiceOptions, verdict: object): Promise<void> {
  tell((await askService('POST', `${pathOf(id)}/verdicts`, options, verdict)).body);
}

function pathOf(id: string): string {
  return `/v1/reviews/${encodeURIComponent(id)}`;
}

function tell(body: unknown): void {
  const { id, state } = (body as { readonly review: ShownReview }).review;
  process.stdout.write(`${id} is ${state}\n`);
}

async function confirmTyped(word: string): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const typed = await Promise.race([lines.question(`Type ${word} to ${word} this write: `), ended]);
  lines.close();
  if (typed.trim() !== word) throw new CommandFailure(`\n\`${word}\` was not typed; nothing was decided`);
}
