/** `writecheck policy ...` and `writecheck evidence ...`, each with its help. */
import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';

export function addPolicyCommands(writecheck: Command): void {
  const policy = writecheck
    .command('policy')
    .description('write, test, compare and apply the policies of a workspace');

  addWriting(policy);
  addApplying(policy);
  addReplaying(policy);
}

/** Commands for a bundle in files. */
function addWriting(policy: Command): void {
  policy
    .command('init')
    .description('write a small starter bundle with tests')
    .argument('[folder]', 'where to write them; created if it does not exist', 'policies')
    .addHelpText('after', examples('writecheck policy init', 'writecheck policy test policies'))
    .action(async (folder: string) => (await import('./init.ts')).policyInit(folder));

  policy
    .command('check')
    .description('find errors and likely mistakes')
    .argument('[path]', 'a folder or a file', 'policies')
    .option('--strict', 'fail on warnings too', false)
    .addHelpText('after', `${examples('writecheck policy check policies')}${EXIT_CODES}`)
    .action(async (path: string, options: { strict: boolean }) =>
      (await import('./check.ts')).policyCheck(path, options),
    );

  policy
    .command('test')
    .description('run the tests of a bundle')
    .argument('[path]', 'a folder or a file', 'policies')
    .addHelpText('after', `${examples('writecheck policy test policies')}${EXIT_CODES}`)
    .action(async (path: string) => (await import('./run-tests.ts')).policyTest(path));
}

/** Commands from a bundle in files to the running one. */
function addApplying(policy: Command): void {
  policy
    .command('diff')
    .description('show what loosens and what tightens from one bundle to another, with examples')
    .argument('<before>', 'a folder, a file, or `running` for the bundle the service uses')
    .argument('<after>', 'the same')
    .option('--json', 'print JSON', false)
    .option('--url <url>', URL_HELP)
    .option('--key <key>', KEY_HELP)
    .addHelpText(
      'after',
      `${examples('writecheck policy diff running policies', 'writecheck policy diff old new --json')}
Exit codes:
  0 nothing loosens, 3 something may loosen, 1 it could not be determined
`,
    )
    .action(async (before: string, after: string, options) =>
      (await import('./diff.ts')).policyDiff(before, after, options),
    );

  policy
    .command('apply')
    .description('make a bundle the active one')
    .argument('[path]', 'a folder or a file', 'policies')
    .option('--confirm-loosening', 'apply it even if it may loosen decisions', false)
    .option('--if-match <digest>', 'only if this is the running bundle')
    .option('--url <url>', URL_HELP)
    .option('--key <key>', KEY_HELP)
    .addHelpText(
      'after',
      `${examples('writecheck policy apply policies')}
Exit codes:
  0 it is active, 3 it may loosen and was not confirmed, 1 it was not applied
`,
    )
    .action(async (path: string, options) => (await import('./apply.ts')).policyApply(path, options));
}

/** Commands on recorded traffic. */
function addReplaying(policy: Command): void {
  policy
    .command('impact')
    .description('try a bundle on recorded traffic: what it would newly stop or allow')
    .argument('[path]', 'a folder or a file', 'policies')
    .option('--days <days>', 'how far back', '7')
    .option('--system <system>', 'only decisions about this system')
    .option('--include-development', 'count decisions of development keys too', false)
    .option('--json', 'print the report as JSON', false)
    .option('--max-newly-stopped <count>', 'a number of decisions, or a share of those replayed such as 1%')
    .option('--max-newly-allowed <count>', 'the same')
    .option('--url <url>', URL_HELP)
    .option('--key <key>', KEY_HELP)
    .addHelpText(
      'after',
      `${examples('writecheck policy impact policies --max-newly-stopped 1% --max-newly-allowed 0')}
Exit codes:
  0 no threshold is exceeded, 4 one is, 1 there is no report
`,
    )
    .action(async (path: string, options) => (await import('./impact.ts')).policyImpact(path, options));
}

export function addEvidenceCommands(writecheck: Command): void {
  const evidence = writecheck
    .command('evidence')
    .description('create keys and signatures for sources of evidence');

  evidence
    .command('key')
    .description(
      'create a key pair: write the private half to a file, and the EvidenceSource document to stdout',
    )
    .requiredOption('--source <id>', 'the id of the EvidenceSource')
    .requiredOption('--out <file>', 'file for the private key, readable by its owner only')
    .option('--kid <id>', 'id of the key (default: the date and a random part)')
    .addHelpText(
      'after',
      examples('writecheck evidence key --source desk --out desk.private.jwk > policies/desk.yaml'),
    )
    .action(async (options) => (await import('./evidence-key.ts')).evidenceKey(options));

  evidence
    .command('sign')
    .description('sign the result of a check, and print it as an evidence item')
    .argument('<intent>', 'file with the write that was checked, or - for stdin')
    .requiredOption('--key <file>', 'the private key: a JWK, or PKCS#8 in PEM')
    .option('--kid <id>', "the key's id; default: the JWK's own")
    .requiredOption('--source <id>', 'the id of the EvidenceSource')
    .requiredOption('--workspace <id>', 'the workspace that will decide')
    .requiredOption('--control <id>', 'the control the check was for')
    .addOption(
      new Option('--result <result>', 'what it found').choices(['PASS', 'FAIL', 'REVOKED']).default('PASS'),
    )
    .option(
      '--expires-in <duration>',
      "how long it is valid, such as 90s, 10m or 1d; the control's max age may end it earlier",
      '1h',
    )
    .option('--never-expires', 'omit the expiry; counts only for a control that has a max age', false)
    .addOption(
      new Option('--bind <what>', 'what it is bound to').choices(['intent', 'object']).default('intent'),
    )
    .option(
      '--facts <file>',
      'file with what the record says, a JSON object, for a control with `facts: true`',
    )
    .option('--jti <id>', 'its own id (default: a random one)')
    .option('--into', 'print the whole intent with the item added', false)
    .addHelpText(
      'after',
      examples(
        'writecheck evidence sign intent.json --key desk.private.jwk --source desk --workspace ws_... --control approval',
      ),
    )
    .action(async (intent: string, options) =>
      (await import('./evidence-sign.ts')).evidenceSign(intent, options),
    );
}

const URL_HELP = 'the service [WRITECHECK_URL, default http://127.0.0.1:8080]';
const KEY_HELP = 'an owner key, or a service key with the role for it [WRITECHECK_OWNER_KEY]';
const EXIT_CODES = `
Exit codes:
  0 success, 1 failure
`;
