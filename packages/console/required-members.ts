/** Prints the members that a response of each route must have; the build puts them into the page. */
import * as api from '@writecheck/api';
import { decisionSchema, type JsonSchema } from '@writecheck/contract';

/** The contract's own shape; every other named one is a member, and an object. */
const NAMED: { readonly [name: string]: JsonSchema } = { '#/components/schemas/Decision': decisionSchema };

type Required = readonly (readonly [member: string, kind: string])[];

function requiredIn(schema: JsonSchema): Required {
  const {
    $ref,
    required = [],
    properties,
  } = schema as {
    readonly $ref?: string;
    readonly required?: readonly string[];
    readonly properties?: { readonly [member: string]: JsonSchema };
  };
  if ($ref !== undefined) return requiredIn(NAMED[$ref] ?? {});
  return required
    .map((member) => [member, kindOf(properties?.[member] ?? {})] as const)
    .filter(([, kind]) => ['array', 'object', 'string', 'number'].includes(kind));
}

/** Of what may be null this is no kind, and no member of a call is that. */
function kindOf({ type, $ref, enum: choices = [] }: JsonSchema): string {
  if ($ref !== undefined) return 'object';
  const [first, ...more] = choices as readonly unknown[];
  const kind = String(type ?? (more.includes(null) ? null : typeof first));
  return kind === 'integer' ? 'number' : kind;
}

const operations = Object.values(api).flatMap((each): readonly Partial<api.Operation>[] =>
  typeof each === 'object' ? Object.values(each) : [],
);
const members = operations.flatMap(({ route, answers = {} }) => {
  // Without a body there is no member.
  const [first, ...more] = Object.values(answers).map(([, shape]) => requiredIn(shape?.schema ?? {}));
  const inAll = first?.filter(([member]) => more.every((each) => each.some(([name]) => name === member)));
  return inAll === undefined || inAll.length === 0 ? [] : [[route, Object.fromEntries(inAll)] as const];
});
process.stdout.write(JSON.stringify(Object.fromEntries(members)));
