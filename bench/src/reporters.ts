/** Reports outcomes on additional connections, as clients do: one report in flight on each. */
import { connect } from 'node:net';

/** The placeholder for a decision's id in a report. */
export const DECISION = `dec_${'#'.repeat(32)}`;

export interface Reporters {
  /** Continues immediately while fewer reports wait than there are connections, otherwise once this one is sent. */
  report(decisionId: string, goOn: () => void): void;
  /** Resolves once every report has its response. */
  end(): Promise<void>;
}

export function startReporters(port: number, connections: number, report: string): Reporters {
  const waiting: { readonly decisionId: string; readonly sent: (() => void) | null }[] = [];
  const idle = new Set<() => void>();
  let isOver = false;
  const converse = () =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        idle.delete(next);
        const order = waiting.shift();
        if (order !== undefined) {
          socket.write(report.replace(DECISION, order.decisionId));
          order.sent?.();
        } else if (isOver) {
          socket.end();
          resolve();
        } else idle.add(next);
      };
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.on('connect', next);
      socket.on('error', reject);
      // A response is small: it comes in one piece.
      socket.on('data', (bytes) => {
        if (!bytes.includes('HTTP/1.1 200')) return reject(new Error(bytes.toString()));
        next();
      });
    });
  const all = Promise.all(Array.from({ length: connections }, converse));
  all.catch(() => {});
  return {
    report(decisionId, goOn) {
      const isBehind = waiting.length >= connections;
      waiting.push({ decisionId, sent: isBehind ? goOn : null });
      for (const next of idle) {
        next();
        break;
      }
      if (!isBehind) goOn();
    },
    async end() {
      isOver = true;
      for (const next of [...idle]) next();
      await all;
    },
  };
}
