/** A thread that tries the places it is given. */
import { parentPort } from 'node:worker_threads';
import { type Trial, tryTampering } from './ledger-tampering.ts';

parentPort?.on('message', (trial: Trial) => {
  void tryTampering(trial).then((outcome) => parentPort?.postMessage(outcome));
});
