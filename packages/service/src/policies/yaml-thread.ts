/** The thread that reads YAML: the parser is not ours to bound, so it runs where it can be stopped. */
import { parentPort } from 'node:worker_threads';
import { type ParsedYaml, type Place, parsePolicyYaml } from './parse-policy-yaml.ts';

export interface YamlRequest {
  readonly text: string;
  /** Places to find in the text, instead of reading its documents. */
  readonly locate: readonly { readonly documentIndex: number; readonly pointer: string }[] | null;
}

export type YamlReply =
  | { readonly kind: 'documents'; readonly documents: readonly unknown[] }
  | Extract<ParsedYaml, { readonly kind: 'faults' }>
  | { readonly kind: 'places'; readonly places: readonly (Place | null)[] };

const port = parentPort!;

port.on('message', ({ text, locate }: YamlRequest) => {
  port.postMessage(replyTo(parsePolicyYaml(text), locate));
});

function replyTo(parsed: ParsedYaml, locate: YamlRequest['locate']): YamlReply {
  if (parsed.kind === 'faults') return parsed;
  if (locate === null) return { kind: 'documents', documents: parsed.documents };
  const places = locate.map(({ documentIndex, pointer }) => parsed.placeOf(documentIndex, pointer));
  return { kind: 'places', places };
}
