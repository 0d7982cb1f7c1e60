/**
 * `npm run bench -- walk`: the files of the service and the store that a plain check runs through on the main thread.
 */
import { Session } from 'node:inspector/promises';
import { createConnection, type Socket } from 'node:net';
import { startTestService } from '../../packages/service/test/start-service.ts';
import { atMost, type Row } from './report.ts';
import { requestOf } from './service.ts';

const CHECKS = 40;
const PLAIN = JSON.stringify({
  system: 'crm',
  objectType: 'customer',
  objectRef: 'C-1',
  field: 'email',
  agentValue: 'ada@example.com',
});

/** Work on a timer coincides with only some checks, so the smallest count is the walk. */
export async function benchWalk(): Promise<readonly Row[]> {
  const service = await startTestService({ settings: { logLevel: 'error' } });
  const socket = createConnection(Number(new URL(service.url).port), '127.0.0.1');
  const request = requestOf(service.liveKey, PLAIN);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const walks: string[][] = [];
  for (let check = 0; check < CHECKS; check += 1) {
    await session.post('Profiler.takePreciseCoverage');
    await answered(socket, request);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const entered = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0));
    walks.push(entered.flatMap(({ url }) => /packages\/((?:service|store)\/src\/.+)$/.exec(url)?.[1] ?? []));
  }
  socket.destroy();
  session.disconnect();
  await service.stop();
  const [walk] = walks.sort((a, b) => a.length - b.length);
  console.log(walk!.sort().join('\n'));
  return [atMost('files that a plain check enters on the main thread', walk!.length, 31, 24)];
}

function answered(socket: Socket, request: string): Promise<void> {
  socket.write(request);
  return new Promise((resolve, reject) => {
    socket.once('data', (response) => {
      if (response.toString().startsWith('HTTP/1.1 200 ')) setImmediate(resolve);
      else reject(new Error(`not a plain check: ${response}`));
    });
  });
}
