/** Renders the HTTP API page from the service's OpenAPI document. */
import { ERROR_CATALOGUE, type ErrorCode } from '@writecheck/contract';
import { allRoutes } from '@writecheck/service/edge/all-routes';
import { openApiDocument } from '@writecheck/service/edge/openapi';
import type { Route } from '@writecheck/service/exchange/route';
import type { ServiceParts } from '@writecheck/service/parts/service-parts';
import { renderShape, type Schema } from './render-shape.ts';

interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: {
    readonly [status: string]: { readonly description: string; readonly content?: Content };
  };
}

interface OpenApi {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
}

const KEYS: { readonly [access in Route['access']]: string } = {
  open: 'none',
  checking: 'development or live',
  managing: 'owner',
  either: 'any',
  person: 'none: a session',
};

/** Every operation can return these, so the page lists them once. */
const COMMON_ERRORS: ReadonlySet<string> = new Set([
  'missing_key',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'internal_error',
  'store_unavailable',
]);

export function renderHttpApi(): string {
  // Routes are data; only their handlers need a running service.
  const routes = allRoutes({} as ServiceParts);
  const { paths, components } = openApiDocument(routes) as OpenApi;
  const operations = routes.map((route) => ({
    route,
    operation: paths[route.path]![route.method.toLowerCase()]!,
  }));
  const overview = operations.map(
    ({ route, operation }) =>
      `| [\`${route.method} ${route.path}\`](#${anchorOf(route)}) | ${KEYS[route.access]} | ${cell(operation.summary)} |`,
  );
  return `# HTTP API

<!-- Rendered by \`npm run docs\` from the operations in packages/api/src. -->

A running service serves the same description as OpenAPI 3.1 at \`/openapi.json\`.

Send the key as \`Authorization: Bearer KEY\`. If the key is \`owner\` or \`any\`, a person's session or a service key
works too, within [its roles](people.md). Bodies are JSON in UTF-8. Every response carries \`X-Request-Id\`. An error is a
problem document (\`application/problem+json\`); its \`error.code\` is one of the [published codes](codes.md#error-codes), and no error permits a write. Every operation can also respond with \`internal_error\` or \`store_unavailable\`, and every
operation that needs a key with ${listCodes(['missing_key', 'invalid_key', 'key_revoked', 'key_expired'])}.

In the shapes below, \`?\` marks an optional member and \`// …\` says what a member means.

| operation | key | what it does |
|---|---|---|
${overview.join('\n')}

${operations.map(({ route, operation }) => renderOperation(route, operation)).join('\n')}
## Schemas

${Object.entries(components.schemas)
  .map(([name, schema]) => `### ${name}\n\n${shapeBlock(schema)}`)
  .join('\n')}`;
}

function renderOperation(route: Route, operation: Operation): string {
  const { parameters = [], requestBody, responses } = operation;
  const parts = [
    `## ${route.method} ${route.path}\n`,
    `${sentence(operation.summary)} Key: ${KEYS[route.access]}.\n`,
    parameters.length === 0 ? null : renderParameters(parameters),
    requestBody === undefined ? null : renderBody(requestBody),
    ...Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description, content }]) =>
        content === undefined
          ? `**${status}**: ${description}.\n`
          : `**${status}**: ${description}.\n\n${Object.entries(content).map(renderContent).join('\n')}`,
      ),
    renderErrors(responses),
  ];
  return parts.filter((part) => part !== null).join('\n');
}

function renderParameters(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map(
    ({ name, in: place, description = '', schema }) =>
      `| \`${name}\` | ${place} | \`${cell(renderShape(schema))}\` | ${cell(description)} |`,
  );
  return `| parameter | in | type | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function renderBody({ required, content }: NonNullable<Operation['requestBody']>): string {
  const optional = required ? '' : ' (optional)';
  return `Request body${optional}:\n\n${Object.entries(content).map(renderContent).join('\n')}`;
}

function renderContent([mediaType, { schema }]: [string, { readonly schema: Schema }]): string {
  const names = (schema.anyOf ?? [schema]).map(({ $ref }) => $ref?.split('/').at(-1));
  if (!names.includes(undefined)) {
    return `${names.map((name) => `[${name}](#${name!.toLowerCase()})`).join(' or ')}\n`;
  }
  return mediaType === 'application/json' ? shapeBlock(schema) : `\`${mediaType}\`\n`;
}

function shapeBlock(schema: Schema): string {
  return `\`\`\`ts\n${renderShape(schema)}\n\`\`\`\n`;
}

function renderErrors(responses: Operation['responses']): string | null {
  const codes = Object.entries(responses).flatMap(([status, { description }]) =>
    [...description.matchAll(/`(\w+)`: /g)]
      .map(([, code]) => code!)
      .filter((code) => code in ERROR_CATALOGUE && !COMMON_ERRORS.has(code))
      .map((code) => `${status} \`${code}\``),
  );
  return codes.length === 0 ? null : `Errors: ${codes.join(', ')}.\n`;
}

function listCodes(codes: readonly ErrorCode[]): string {
  const shown = codes.map((code) => `\`${code}\``);
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** The anchor that GitHub generates for a heading. */
function anchorOf({ method, path }: Route): string {
  return `${method} ${path}`
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
