/** Prints where the service listens, and on the first start also the keys and two commands that work as pasted. */
import { intentDigest, REVIEW_DESK, type WriteIntent } from '@writecheck/contract';
import { DEVELOPMENT_CHECKS_A_MONTH } from '@writecheck/service/features/keys/allowance';
import type { NewWorkspace } from '@writecheck/service/features/keys/create-workspace';
import { calledAs } from '@writecheck/service/support/called-as';
import { SETTINGS } from '@writecheck/service/support/config/settings';
import type { FirstCheck } from './first-checks.ts';
import type { HandedOver } from './hand-over.ts';

export function welcome(
  made: NewWorkspace,
  url: string,
  checks: readonly FirstCheck[],
  owner: HandedOver,
  hasConsole: boolean,
  data: string | null,
): string {
  const shown = checks.map(
    (check) => `${headline(check, checks.length)}:\n\n${curl(url, made.developmentKey, check.intent)}\n`,
  );
  return `
A workspace was created for you: ${made.workspace.id}

${hasConsole ? `  console          ${named(url)}/\n` : ''}  owner key        ${owner.shown}
  development key  ${made.developmentKey}

${owner.advice} The owner key manages the workspace, the development key sends checks.
All development keys of a workspace share ${inThousands(DEVELOPMENT_CHECKS_A_MONTH)} checks a month. For more, create a live key:

  ${calledAs()} keys create --kind live --name NAME${namedData(data)}

${shown.join('\n')}${checks.map((check) => reviewCommands(made.developmentKey, owner.inShell, url, check)).join('')}
`;
}

/** Passkeys need a name: an IP address cannot have one. */
function named(url: string): string {
  return url.replace('//127.0.0.1', '//localhost');
}

/**
 * The user who pastes the command may not have the settings of the service. A URL is omitted, because it may
 * contain a password.
 */
function namedData(data: string | null): string {
  return data === null || data === SETTINGS.data.fallback ? '' : ` --data ${inSingleQuotes(data)}`;
}

/** Prints a shell function, so that the two checks above stay the only lines that begin with `curl`. */
function reviewCommands(
  developmentKey: string,
  ownerKey: string | null,
  url: string,
  { intent, decided: { review } }: FirstCheck,
): string {
  if (review === undefined || ownerKey === null) return '';
  const evidence = review.controls.map((controlId) => ({
    controlId,
    source: REVIEW_DESK,
    result: 'PASS',
    evidenceRef: 'urn:writecheck:review:REVIEW',
  }));
  const again = { ...intent, controlEvidence: [...(intent.controlEvidence ?? []), ...evidence] };
  const post = (path: string, key: string, body: string) => `post ${path} ${key} ${body}`;
  const check = (body: string) => post('/v1/check-write', developmentKey, body);
  const approve = JSON.stringify({ verdict: 'approve', intentDigest: intentDigest(intent) });
  return `
A person can approve a paused write. These lines send a check, open a review, approve it as the owner, and check again:

  post() { curl -s "${url}$1" -H "Authorization: Bearer $2" -H 'Content-Type: application/json' -d "$3"; }
  DECISION=$(${check(inSingleQuotes(JSON.stringify(intent)))} | grep -o 'dec_[0-9a-f]*' | head -1)
  REVIEW=$(${post('/v1/reviews', developmentKey, `'{"decision_id":"'$DECISION'"}'`)} | grep -o 'rev_[0-9a-f]*' | head -1)
  ${post('/v1/reviews/$REVIEW/verdicts', ownerKey, inSingleQuotes(approve))}
  ${check(inSingleQuotes(JSON.stringify(again)).replaceAll(':REVIEW"', `:'$REVIEW'"`))}
`;
}

/** The missing console is mentioned last, below the keys, because nobody reads above them. */
export function listening(url: string, hasConsole: boolean): string {
  const missing = `
The console is not built, so there is no page at ${url}/; the API works without it. To build it, run
  npm run build --workspace packages/console
`;
  return `writecheck listens on ${url}\n${hasConsole ? '' : missing}`;
}

function headline({ decided }: FirstCheck, count: number): string {
  if (decided.decision === 'allow') return 'An allow, since every control has evidence';
  const missing = decided.controlEvaluations.find(({ status }) => status === 'missing')?.controlId;
  if (count > 1 && missing !== undefined) return `A pause, since evidence for ${missing} is missing`;
  return `A ${decided.decision} under the policies loaded (${decided.reasonCode}), under which no example is allowed`;
}

function curl(url: string, key: string, intent: WriteIntent): string {
  return `curl -s ${url}/v1/check-write -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d ${inSingleQuotes(JSON.stringify(intent))}`;
}

/** Not by `toLocaleString`: loading its languages would take a fiftieth of the start. */
function inThousands(count: number): string {
  const digits = String(count);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
