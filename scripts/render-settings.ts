/** Renders the settings page from the service's own table. */
import { SETTINGS, type Setting } from '@writecheck/service/support/config/settings';

export function renderSettings(): string {
  const rows = Object.values(SETTINGS as { readonly [name: string]: Setting<unknown> }).map(
    ({ variable, flag, placeholder, fallbackShown, help }) =>
      `| \`${variable}\` | \`${cell(`${flag} <${placeholder}>`)}\` | ${cell(fallbackShown)} | ${cell(help)} |`,
  );
  return `# Settings

<!-- Rendered by \`npm run docs\` from packages/service/src/support/config/settings.ts. -->

Set a variable in the environment, or pass the flag to \`writecheck serve\`. The flag wins. An empty variable counts as
unset. No setting is required to start.

| variable | flag | default | meaning |
|---|---|---|---|
${rows.join('\n')}

The service validates every setting before it opens the store, and lists all errors together. A variable that looks like a
misspelled setting also stops the start, because a misspelled \`WRITECHECK_SIGNUP\` could leave sign-up open. Any other variable that
begins with \`WRITECHECK_\` and is no setting is a warning in the log.

On an address that others can reach, \`WRITECHECK_SIGNUP=open\` needs \`WRITECHECK_PLAN\` too; see [hosting](hosting.md#sign-up).

Every secret can come from a file, also those of callers below: set \`WRITECHECK_DATABASE_URL_FILE\` to the path of a file that
holds the value of \`WRITECHECK_DATABASE_URL\`. See [keys and secrets](operations.md#keys-and-secrets).

These variables are for callers, not for the service:

| variable | read by | meaning |
|---|---|---|
| \`WRITECHECK_URL\` | the client, commands that call a service | where the service is |
| \`WRITECHECK_API_KEY\` | the client, \`writecheck check\`, the MCP commands and hooks | a development or live key |
| \`WRITECHECK_OWNER_KEY\` | \`writecheck policy\` and \`writecheck audit export\` | an owner key |

Commands that work on the store directly, such as \`writecheck keys create\`, read \`WRITECHECK_DATA\` and
\`WRITECHECK_DATABASE_URL\`. Those that sign also read \`WRITECHECK_SIGNING_KEY\`.

Tracing has no setting of ours. Set the OpenTelemetry variables, for example \`OTEL_EXPORTER_OTLP_ENDPOINT\`, and the service
exports a span for each request, with what a check does under it.
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
