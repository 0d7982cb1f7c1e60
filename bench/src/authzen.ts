/** `npm run bench -- authzen`: what an AuthZEN evaluation costs, compared with the same check in our own form. */
import { atMost, median, type Row } from './report.ts';
import { benchBody, prepare, sentTo } from './service.ts';
import { costUs, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);

/** The same write in both forms: the native one is what the other is mapped to. */
function bothBodies(): { readonly native: string; readonly authzen: string } {
  const { schemaVersion, metadata, ...intent } = JSON.parse(benchBody());
  const properties = metadata.context;
  const subject = { type: 'agent', id: metadata.agent };
  const { system, field, agentValue: value } = intent;
  return {
    native: JSON.stringify({
      ...intent,
      metadata: { agent: metadata.agent, context: { subject, action: { properties } } },
    }),
    authzen: JSON.stringify({
      subject,
      action: { name: intent.operation, properties },
      resource: { type: intent.objectType, id: intent.objectRef },
      context: {
        write: { system, field, value },
        authority: {
          found: intent.authorityFound,
          value: intent.authorityValue,
          source: intent.authoritySource,
        },
        required_controls: intent.requiredControls,
        control_evidence: intent.controlEvidence,
        run_id: intent.runId,
      },
    }),
  };
}

export async function benchAuthzen(): Promise<readonly Row[]> {
  const { native, authzen } = bothBodies();
  const service = await startService();
  const load = await startLoad();
  const { request } = await prepare(service, native);
  const evaluation = sentTo('/access/v1/evaluation', request, authzen);
  const order = { connections: 64, warmUpMs: 100, measureMs: 500 };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await costUs(service, load, { ...order, request });
    const theirs = await costUs(service, load, { ...order, request: evaluation });
    console.log(`us of CPU time: check ${ours.toFixed(0)}, evaluation ${theirs.toFixed(0)}`);
    // The first rounds warm up.
    if (round > 1) ratios.push(theirs / ours);
  }
  await Promise.all([load.stop(), service.stop()]);
  return [atMost('an AuthZEN evaluation / the same check', median(ratios), 1.2, 1.1)];
}
