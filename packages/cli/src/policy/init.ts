/** `writecheck policy init`: a starter bundle, and the schema for editors. */
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandFailure } from '@writecheck/contract/command';
import { POLICY_DOCUMENT_SCHEMA } from '@writecheck/engine';
import { calledAs } from '@writecheck/service/support/called-as';
import { makeFolder } from '../make-folder.ts';
import { newKeyPair, newKid } from './evidence-key.ts';
import { PRIVATE_KEY_FILE, SIGNER, starterFiles } from './starter.ts';

export async function policyInit(folder: string): Promise<void> {
  const names = await readdir(folder).catch(({ code }: NodeJS.ErrnoException): readonly string[] => {
    if (code === 'ENOENT') return [];
    throw new CommandFailure(`\`${folder}\` is not a folder that can be read (${code}); choose another one`);
  });
  const there = names.find((name) => /\.ya?ml$/i.test(name));
  if (there !== undefined)
    throw new CommandFailure(`\`${folder}\` already contains policies (${there}); choose another folder`);
  const { files, keyNote } = await withSigner(folder);
  makeFolder(folder);
  const schema = { 'policy.schema.json': `${JSON.stringify(POLICY_DOCUMENT_SCHEMA, null, 2)}\n` };
  for (const [file, text] of Object.entries({ ...files, ...schema }))
    await writeNew(join(folder, file), text);
  process.stdout.write(`wrote to ${folder}/
${Object.keys(files)
  .map((file) => `  ${file}\n`)
  .join('')}  policy.schema.json      lets editors complete and check the files
${keyNote}
next
  ${calledAs()} policy test ${folder}
  ${calledAs()} policy apply ${folder}          with an owner key
  ${calledAs()} serve --policies ${folder}      or let the service apply it at the start
`);
}

interface Starter {
  readonly files: { readonly [file: string]: string };
  readonly keyNote: string;
}

/** Writes the key before any policy names it. */
async function withSigner(folder: string): Promise<Starter> {
  const keyFile = join(folder, '..', PRIVATE_KEY_FILE);
  if (existsSync(keyFile))
    throw new CommandFailure(
      `\`${keyFile}\` already exists, and a key is not overwritten; move it away first`,
    );
  makeFolder(folder);
  const pair = await newKeyPair(newKid());
  await writeKey(keyFile, `${JSON.stringify(pair.privateJwk, null, 2)}\n`);
  const keyNote = `
wrote the private key that signs as \`${SIGNER}\` to ${keyFile}
  only you can read it, and a .gitignore beside it keeps it out of Git; move it to the approver
`;
  return { files: starterFiles(pair), keyNote };
}

async function writeKey(file: string, text: string): Promise<void> {
  makeFolder(dirname(file), 0o700);
  // Written before the key, so that nothing can pick the key up in between.
  await writeFile(join(dirname(file), '.gitignore'), '*\n');
  await writeNew(file, text, 0o600);
}

async function writeNew(file: string, text: string, mode = 0o644): Promise<void> {
  await writeFile(file, text, { mode, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`\`${file}\` cannot be written (${error.code}); choose another folder`);
  });
}
