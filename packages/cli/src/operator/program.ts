/** The operator's commands, each loaded only when it runs. */
import { SERVICE_ROLES } from '@writecheck/contract';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { type Config, SETTINGS } from '@writecheck/service/support/config/settings';
import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';
import { addAuditCommandsOfAll } from './audit-program.ts';
import { WORKSPACE, withSettings } from './with-settings.ts';

function onStore(command: Command, ...more: readonly (keyof Config)[]): Command {
  return withSettings(command, ['data', 'databaseUrl', ...more]);
}

export function addOperatorCommands(writecheck: Command): void {
  addServe(writecheck);
  addWorkspaceCommands(writecheck);
  addKeyCommands(writecheck);
  addPeopleCommands(writecheck);
  addFreezeCommands(writecheck);
  addAuditCommandsOfAll(writecheck);
  addStoreCommands(writecheck);
}

function addServe(writecheck: Command): void {
  withSettings(writecheck.command('serve'), Object.keys(SETTINGS) as (keyof Config)[])
    .description('run the service')
    .option('--demo', 'serve a made-up workspace from a new store, to look around', false)
    .addHelpText(
      'after',
      examples('writecheck serve', 'writecheck serve --port 9000 --signup closed --workers 2'),
    )
    .action(async ({ demo, ...flags }: Flags & { readonly demo: boolean }) =>
      demo
        ? (await import('./demo/serve-demo.ts')).serveDemo(flags)
        : (await import('./serve.ts')).serve(flags),
    );
}

function addWorkspaceCommands(writecheck: Command): void {
  const workspace = writecheck.command('workspace').description('manage workspaces, directly on the store');
  onStore(workspace.command('create').argument('<name>', 'a name that people will recognize'))
    .description('create a workspace and print its two keys once')
    .addHelpText('after', examples('writecheck workspace create "Accounts payable"'))
    .action(async (name: string, flags: Flags) =>
      (await import('./store-commands.ts')).createWorkspaceCommand(flags, name),
    );
  onStore(workspace.command('list'))
    .description('list workspaces, oldest first: state, last use, decisions of this month and stored bytes')
    .option('--json', 'print JSON', false)
    .action(async (flags) => (await import('./workspace-list.ts')).listWorkspacesCommand(flags));
  const one = (name: string) =>
    onStore(workspace.command(name).argument('<workspace>', 'id, as `workspace list` shows it'));
  one('suspend')
    .description('refuse every key and session of a workspace within a second; nothing of it is lost')
    .action(async (id: string, flags: Flags) =>
      (await import('./workspace-commands.ts')).suspendCommand(flags, id),
    );
  one('resume')
    .description('end a suspension')
    .action(async (id: string, flags: Flags) =>
      (await import('./workspace-commands.ts')).resumeCommand(flags, id),
    );
  one('delete')
    .description(
      'erase a workspace for good; the hashes of its records stay in the log, so it still verifies',
    )
    .option('--yes', 'do not ask; needed without a terminal', false)
    .action(async (id: string, flags) => (await import('./workspace-commands.ts')).deleteCommand(flags, id));
  one('grant-live')
    .description('let a workspace create live keys on the hosted plan, and lift its ceilings')
    .action(async (id: string, flags: Flags) =>
      (await import('./workspace-commands.ts')).grantLiveCommand(flags, id),
    );
}

function addKeyCommands(writecheck: Command): void {
  const keys = writecheck.command('keys').description('manage keys, directly on the store');
  onStore(keys.command('create'), 'plan')
    .description('create a key and print its secret once')
    .option(...WORKSPACE)
    .addOption(
      new Option('--kind <kind>', 'what the key may do')
        .choices(['development', 'live', 'owner', 'service'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'a name that people will recognize')
    .option('--expires-at <date-time>', 'when it stops working, such as 2027-01-31T12:00:00Z')
    .option('--system <name...>', 'systems it may check writes to (default: all)')
    .option('--workflow <id...>', 'workflows it may be used in; each check must name one (default: any)')
    .addOption(new Option('--role <role...>', 'what a service key may do').choices(SERVICE_ROLES))
    .addHelpText('after', examples('writecheck keys create --kind live --name ap-bot --system erp crm'))
    .action(async (options) => (await import('./key-commands.ts')).createKeyCommand(options));
  onStore(keys.command('list'))
    .description('list the keys of a workspace: state, last use and limits, never a secret')
    .option(...WORKSPACE)
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./key-commands.ts')).listKeysCommand(options));
  onStore(keys.command('revoke').argument('[key]', 'id of the key, as `keys list` shows it'))
    .description('revoke a key, or all of them; every running service refuses it within a second')
    .option('--all', 'every key of the workspace, after a compromise')
    .option('--except <key...>', 'with --all: keys that stay; name an owner key that you trust')
    .option('--yes', 'with --all: revoke without --except; otherwise the keys are only listed', false)
    .option(...WORKSPACE)
    .addHelpText(
      'after',
      examples('writecheck keys revoke key_0190…', 'writecheck keys revoke --all --except key_0190…'),
    )
    .action(async (id: string | undefined, options) =>
      (await import('./key-commands.ts')).revokeKeyCommand(options, id),
    );

  onStore(keys.command('rotate').argument('<key>', 'id of the key, as `keys list` shows it'), 'plan')
    .description('replace a key with a new one with the same name and limits; print its secret once')
    .option(...WORKSPACE)
    .option(
      '--grace-seconds <number>',
      'how long the old key keeps working [default 3600; 0 for an owner key]',
    )
    .addHelpText('after', examples('writecheck keys rotate key_0190… --grace-seconds 600'))
    .action(async (id: string, options) => (await import('./key-commands.ts')).rotateKeyCommand(options, id));
}

function addPeopleCommands(writecheck: Command): void {
  const people = writecheck.command('people').description('list people, and disable or remove one');
  onStore(people.command('list'))
    .description('list the people of a workspace')
    .option(...WORKSPACE)
    .action(async (options) => (await import('./people-commands.ts')).listPeopleCommand(options));
  onStore(people.command('disable').argument('<person>', 'id, as `people list` shows it'))
    .description('disable a person, so that their sessions, passkeys, approvals and keys stop working')
    .option(...WORKSPACE)
    .action(async (id: string, options) =>
      (await import('./people-commands.ts')).disablePersonCommand(options, id),
    );
  onStore(people.command('remove').argument('<person>', 'id, as `people list` shows it'))
    .description('disable a person and erase their name, address and identity; the log keeps the id')
    .option(...WORKSPACE)
    .action(async (id: string, options) =>
      (await import('./people-commands.ts')).removePersonCommand(options, id),
    );
}

function addFreezeCommands(writecheck: Command): void {
  const freeze = onStore(writecheck.command('freeze'))
    .description('stop writes immediately, directly in the store, even if the service does not respond')
    .option('--reason <text>', 'the reason that every stopped caller gets')
    .option('--system <name...>', 'only writes to these systems; * stands for any characters')
    .option('--object-type <name...>', 'only writes to objects of these types')
    .option('--field <name...>', 'only writes of these fields')
    .option('--operation <name...>', 'only these operations')
    .option('--workflow <id...>', 'only writes in these workflows')
    .option('--key <id...>', 'only checks of these keys, or of keys that replace them')
    .option(
      '--until <date-time>',
      'when it ends by itself, at most 31 days ahead, such as 2027-01-31T12:00:00Z',
    )
    .option(...WORKSPACE)
    .option('--all', 'every workspace')
    .addHelpText(
      'after',
      examples(
        'writecheck freeze --reason "the import agent writes to the wrong accounts" --system crm',
        'writecheck freeze lift frz_0190… --reason "fixed in 4.2"',
      ),
    )
    .action(async (options) => (await import('./freeze-commands.ts')).freezeCommand(options));
  onStore(freeze.command('lift').argument('[freeze]', 'id of the freeze, as `freeze list` shows it'))
    .description('lift a freeze')
    .option('--reason <text>', 'why writes may continue')
    .option('--restored', 'every freeze that `audit restore` made')
    .action(async (id: string | undefined, _: unknown, command: Command) =>
      (await import('./freeze-commands.ts')).liftCommand(command.optsWithGlobals(), id),
    );

  onStore(freeze.command('list'))
    .description('list the active freezes of every workspace')
    .action(async (_: unknown, command: Command) =>
      (await import('./freeze-commands.ts')).listFreezesCommand(command.optsWithGlobals()),
    );
}

function addStoreCommands(writecheck: Command): void {
  const index = writecheck.command('index').description('manage what is derived from the log');
  onStore(index.command('rebuild'))
    .description('rebuild the search index and the counters of limits from the log')
    .action(async (flags: Flags) => (await import('./store-commands.ts')).rebuildIndexCommand(flags));

  onStore(writecheck.command('migrate-store'))
    .description('copy a SQLite store into an empty PostgreSQL database; stop the service first')
    .addHelpText(
      'after',
      examples(
        'writecheck migrate-store --data ./.writecheck --database-url postgres://user@host/writecheck',
      ),
    )
    .action(async (flags: Flags) => (await import('./migrate-store.ts')).migrateStoreCommand(flags));
}
