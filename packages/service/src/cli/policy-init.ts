/** `writecheck policy init` and `schema`: something to begin with, and what editors need to help. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POLICY_DOCUMENT_SCHEMA, POLICY_SCHEMAS, type PolicyDocument } from '@writecheck/engine';
import { newKeyPair, newKid } from './evidence-key.ts';
import { CommandFailure } from './fail.ts';
import { PRIVATE_KEY_FILE, SIGNER, starterFiles } from './policy-starter.ts';

export async function policyInit(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const there = (await readdir(folder)).filter((name) => /\.ya?ml$/i.test(name));
  if (there.length > 0)
    throw new CommandFailure(`\`${folder}\` holds policies already (${there[0]}); choose another folder`);
  const pair = await newKeyPair(newKid());
  const write = (file: string, text: string, mode = 0o644) =>
    writeFile(join(folder, file), text, { mode, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailure(`\`${join(folder, file)}\` cannot be written (${error.code})`);
    });
  await write(PRIVATE_KEY_FILE, `${JSON.stringify(pair.privateJwk, null, 2)}\n`, 0o600);
  await write('.gitignore', '*.private.jwk\n');
  await write('policy.schema.json', `${JSON.stringify(POLICY_DOCUMENT_SCHEMA, null, 2)}\n`);
  const files = starterFiles(pair);
  for (const [file, text] of Object.entries(files)) await write(file, text);
  process.stdout.write(`wrote to ${folder}/
${Object.keys(files)
  .map((file) => `  ${file}\n`)
  .join('')}  policy.schema.json      lets editors complete and check the files
  ${PRIVATE_KEY_FILE}   signs as \`${SIGNER}\`; move it to whoever approves

next
  writecheck policy test ${folder}
  writecheck policy apply ${folder}          with an owner key
  writecheck serve --policies ${folder}      or let the service watch the folder
`);
}

export function policySchema({ kind }: { readonly kind?: PolicyDocument['kind'] }): void {
  const schema = kind === undefined ? POLICY_DOCUMENT_SCHEMA : POLICY_SCHEMAS[kind];
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
}
