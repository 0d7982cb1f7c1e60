/** The thread that parses, compiles, tests and compares bundles, so that a large bundle never delays a check. */
import { parentPort } from 'node:worker_threads';
import { canonicalJson } from '@writecheck/contract';
import { crowdWarnings } from '@writecheck/engine';
import { outlineBody } from './body-outline.ts';
import { compareTexts } from './compare-texts.ts';
import { examineBundle, examineDocuments } from './examine-bundle.ts';
import type { JobReply, PolicyJob } from './policy-jobs.ts';

/** Large enough that few messages are needed, small enough that parsing one takes negligible time. */
const PIECE_CHARACTERS = 32 * 1024;

async function work(job: PolicyJob): Promise<unknown> {
  switch (job.kind) {
    case 'outline':
      return outlineBody(job.bytes);
    case 'examine': {
      const examined = await examineBundle(job.source, job.workspace);
      if (examined.kind === 'invalid') return examined;
      const { digest, documents } = examined;
      const warnings = crowdWarnings(documents).map(({ message }) => message);
      return { kind: 'good', digest, text: canonicalJson(documents), warnings };
    }
    case 'compare':
      return compareTexts(job.running, job.next, job.recorded, job.nowMs);
    case 'load': {
      const examined = examineDocuments({ kind: 'stored', text: job.text });
      const isSame = examined.kind === 'good' && examined.digest === job.digest;
      return { pieces: isSame ? piecesOf(examined.documents) : null };
    }
  }
}

/** The documents in order, as JSON lists of a few each. */
function piecesOf(documents: readonly unknown[]): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let characters = 0;
  for (const document of documents) {
    const text = JSON.stringify(document);
    piece.push(text);
    characters += text.length;
    if (characters < PIECE_CHARACTERS) continue;
    pieces.push(`[${piece.join(',')}]`);
    piece = [];
    characters = 0;
  }
  if (piece.length > 0) pieces.push(`[${piece.join(',')}]`);
  return pieces;
}

/** Processor time: on a busy machine, a small job must not count like a large one. */
function usedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function reply(told: JobReply): void {
  parentPort?.postMessage(told);
}

parentPort?.on('message', (job: PolicyJob) => {
  const before = process.threadCpuUsage();
  work(job).then(
    (value) => reply({ kind: 'value', value, usedMs: usedMs(before) }),
    (error: unknown) => reply({ kind: 'failed', message: String(error), usedMs: usedMs(before) }),
  );
});
