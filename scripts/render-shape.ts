/** Renders a JSON Schema as a TypeScript-like type. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly description?: string;
  readonly deprecated?: boolean;
}

const LINE_MAX = 110;

export function renderShape(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => renderShape(one, indent)).join(' | ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0 && schema.properties === undefined) return 'any';
  return (types.length === 0 ? ['object'] : types)
    .map((type) => {
      if (type === 'array') return `${grouped(renderShape(schema.items ?? {}, indent))}[]`;
      if (type === 'object' && schema.properties !== undefined) return renderMembers(schema, indent);
      return type;
    })
    .join(' | ');
}

function grouped(shape: string): string {
  return shape.includes(' | ') && !shape.startsWith('{') ? `(${shape})` : shape;
}

function renderMembers({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return { text: `${name}${mark}: ${renderShape(schema, inner)}`, note: schema.description };
  });
  const oneLine = `{ ${members.map(({ text }) => text).join(', ')} }`;
  const isShort = indent.length + oneLine.length <= LINE_MAX && !oneLine.includes('\n');
  if (isShort && members.every(({ note }) => note === undefined)) return oneLine;
  const lines = members.map(
    ({ text, note }) => `${note === undefined ? '' : `${inner}// ${note}\n`}${inner}${text}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}
