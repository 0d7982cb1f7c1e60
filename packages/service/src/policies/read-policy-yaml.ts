/** Reads policy documents from YAML off the event loop, and gives up on a text that takes too long. */
import { Worker } from 'node:worker_threads';
import type { ParsedYaml, Place } from './parse-policy-yaml.ts';
import type { YamlReply, YamlRequest } from './yaml-thread.ts';

const IN_SOURCE = import.meta.url.endsWith('.ts');
const MEMORY_MB = 512;

export type ReadYaml =
  | {
      readonly kind: 'documents';
      readonly documents: readonly unknown[];
      readonly locate: (
        faults: readonly { readonly documentIndex: number; readonly pointer: string }[],
      ) => Promise<readonly (Place | null)[]>;
    }
  | Extract<ParsedYaml, { readonly kind: 'faults' }>;

export async function readPolicyYaml(text: string, timeoutMs = 10_000): Promise<ReadYaml> {
  const reply = await inTurn({ text, locate: null }, timeoutMs);
  if (reply === null) {
    const message = 'the text takes too long to be read; write it more simply or in smaller parts';
    return { kind: 'faults', faults: [{ line: 1, column: 1, message }] };
  }
  if (reply.kind === 'faults') return reply;
  const documents = reply.kind === 'documents' ? reply.documents : [];
  return {
    kind: 'documents',
    documents,
    locate: async (faults) => {
      const found = await inTurn(
        { text, locate: faults.map(({ documentIndex, pointer }) => ({ documentIndex, pointer })) },
        timeoutMs,
      );
      return found?.kind === 'places' ? found.places : faults.map(() => null);
    },
  };
}

let last: Promise<unknown> = Promise.resolve();

/** One text at a time: however many are sent at once, they hold one core and no more. */
function inTurn(request: YamlRequest, timeoutMs: number): Promise<YamlReply | null> {
  const own = last.then(() => askThread(request, timeoutMs));
  last = own;
  return own;
}

/** Null where the thread was stopped or broke: then nothing is known about the text. */
function askThread(request: YamlRequest, timeoutMs: number): Promise<YamlReply | null> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./yaml-thread${IN_SOURCE ? '.ts' : '.js'}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
    });
    const end = (reply: YamlReply | null) => {
      clearTimeout(late);
      resolve(reply);
      void worker.terminate();
    };
    // Counted from when the thread runs: a slow start is not the text's fault.
    let late: NodeJS.Timeout | undefined;
    worker.once('online', () => {
      late = setTimeout(() => end(null), timeoutMs);
    });
    worker.once('message', end);
    worker.once('error', () => end(null));
    worker.once('exit', () => end(null));
    worker.postMessage(request);
  });
}
