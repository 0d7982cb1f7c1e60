/** `writecheck reviews ...`, each with its help. */
import { REVIEW_STATES } from '@writecheck/contract';
import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';

export function addReviewCommands(writecheck: Command): void {
  const reviews = writecheck
    .command('reviews')
    .description('list and decide the writes that wait for a person, with an owner key');
  const command = (name: string) =>
    reviews
      .command(name)
      .option('--url <url>', 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]')
      .option('--key <key>', 'an owner key [WRITECHECK_OWNER_KEY]');
  const onOne = (name: string) => command(name).argument('<review>', 'id of the review, rev_...');

  command('list')
    .description('list reviews: open ones by when they expire, then the others, newest first')
    .addOption(new Option('--state <state>', 'only reviews in this state').choices(REVIEW_STATES))
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./commands.ts')).listReviewsCommand(options));
  onOne('show')
    .description('show the whole write, who requested it, and the comments')
    .option('--json', 'print JSON', false)
    .action(async (id: string, options) => (await import('./commands.ts')).showReviewCommand(id, options));
  onOne('approve')
    .description('show the whole write, ask for confirmation, and approve it')
    .option('--comment <text>', 'comment on the verdict')
    .option('--yes', 'do not ask for confirmation; needs --digest', false)
    .option('--digest <digest>', 'the digest of the write you approve, sha256:...')
    .addHelpText(
      'after',
      examples(
        'writecheck reviews approve rev_0190…',
        'writecheck reviews approve rev_0190… --yes --digest sha256:…',
      ),
    )
    .action(async (id: string, options) => (await import('./commands.ts')).approveCommand(id, options));
  onOne('reject')
    .description('show the whole write, ask for confirmation, and reject it')
    .requiredOption('--comment <text>', 'why, for the requester')
    .option('--yes', 'do not ask for confirmation', false)
    .action(async (id: string, options) => (await import('./commands.ts')).rejectCommand(id, options));
  onOne('cancel')
    .description('show the whole write, ask for confirmation, and cancel the review or withdraw its approval')
    .option('--reason <text>', 'why, for the requester')
    .option('--yes', 'do not ask for confirmation', false)
    .action(async (id: string, options) => (await import('./commands.ts')).cancelCommand(id, options));
}
