/** A thread that runs stretches of the differential test as they are handed to it. */
import { parentPort } from 'node:worker_threads';
import { runDifferential, type Stretch } from './differential.ts';

parentPort?.on('message', (stretch: Stretch) => parentPort?.postMessage(runDifferential(stretch)));
