/** A thread that tries stretches of changes as it receives them. */
import { parentPort } from 'node:worker_threads';
import { runTalkOut, type Stretch } from './talk-out.ts';

parentPort?.on('message', (stretch: Stretch) => parentPort?.postMessage(runTalkOut(stretch)));
