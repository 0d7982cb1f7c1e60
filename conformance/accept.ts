/**
 * `npm run conformance:accept`: writes the engine's current decisions into every case. Read the diff line by line before
 * you commit it: each change is a change of a decision that someone relies on.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { loadCases } from './case.ts';
import { decideCase, statedPart } from './decide-case.ts';

for (const conformanceCase of loadCases()) {
  const file = new URL(`./cases/${conformanceCase.name}.yaml`, import.meta.url);
  const document = parseDocument(readFileSync(file, 'utf8'));
  document.set(
    'expect',
    document.createNode(statedPart(await decideCase(conformanceCase)), { aliasDuplicateObjects: false }),
  );
  writeFileSync(file, document.toString({ lineWidth: 110 }));
}
