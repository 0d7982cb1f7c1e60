/** What a first start prints, once: the keys, and two commands that work as pasted. */
import type { NewWorkspace } from '../keys/create-workspace.ts';

export function welcome(made: NewWorkspace, url: string): string {
  return `
A workspace was made for you: ${made.workspace.id}

  owner key        ${made.ownerKey}
  development key  ${made.developmentKey}

They are shown this once; keep them now. The owner key manages, the development key checks.

An allow, since both controls have evidence:

${curl(url, made.developmentKey, ['identity', 'approval'])}

A pause, since the approval is missing:

${curl(url, made.developmentKey, ['identity'])}

`;
}

const SOURCES = { identity: 'okta', approval: 'service-desk' } as const;

function curl(url: string, key: string, evidenced: readonly (keyof typeof SOURCES)[]): string {
  const intent = {
    system: 'crm',
    objectType: 'customer',
    objectRef: 'C-1001',
    field: 'email',
    agentValue: 'ada@example.com',
    requiredControls: ['identity', 'approval'],
    controlEvidence: evidenced.map((controlId) => ({
      controlId,
      source: SOURCES[controlId],
      result: 'PASS',
    })),
  };
  return `curl -s ${url}/v1/check-write -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(intent)}'`;
}
