/** Sends long repetitive input to every parser and route; expects linear time and no long echo. */
import { startTestService, type TestService } from '../../packages/service/test/start-service.ts';
import { PARSERS } from './parsers.ts';
import { PIECES, repeated, slownessOf } from './pieces.ts';
import { exchange, type Place, placesOf } from './requests.ts';

const PARSED_LENGTH = 65_536;
/** The YAML library is slow on texts with errors; the service parses on a separate thread. */
const SLOW_READERS = /^policy YAML/;
const SLOW = { msPerKilobyte: 20 };
const ECHO_CHARACTERS_MAX = 200;

/** Tries only one in `every` pairs of parser and piece, different pieces for each parser. */
export async function tortureParsers(length = PARSED_LENGTH, every = 1): Promise<readonly string[]> {
  const faults: string[] = [];
  let turn = 0;
  for (const [name, read] of Object.entries(PARSERS)) {
    for (const piece of PIECES) {
      turn += 1;
      if (turn % every !== 0) continue;
      const fault = await slownessOf({ name, length, read, ...(SLOW_READERS.test(name) && SLOW) }, piece);
      if (fault !== null) faults.push(fault);
    }
  }
  return faults;
}

/** The same for the places in requests. */
export async function tortureRoutes(
  every: number,
): Promise<{ readonly faults: readonly string[]; readonly count: number }> {
  // Trust a proxy, so that forwarded headers are parsed too.
  const settings = { logLevel: 'warn', trustProxy: '127.0.0.1' };
  const service = await startTestService({ settings });
  const faults: string[] = [];
  let count = 0;
  let turn = 0;
  try {
    for (const place of await placesOf(service)) {
      for (const piece of PIECES) {
        turn += 1;
        if (turn % every !== 0) continue;
        count += 1;
        const fault = await faultAt(service, place, piece);
        if (fault !== null) faults.push(fault);
      }
    }
    if (service.logged() !== '') faults.push(`the log says: ${service.logged().slice(0, 2_000)}`);
  } finally {
    await service.stop();
  }
  return { faults, count };
}

async function faultAt(service: TestService, place: Place, piece: string): Promise<string | null> {
  const text = repeated(piece, place.length);
  const { status, body } = await exchange(service.url, place.request(text));
  const shown = `${place.name}: ${JSON.stringify(piece)} repeated`;
  if (status >= 500) return `${shown} returns ${status}: ${body.slice(0, 500)}`;
  if (status >= 400 && body.includes(text.slice(0, ECHO_CHARACTERS_MAX + 1)))
    return `${shown} is repeated at length in the error`;
  return slownessOf({ ...place, read: (tried) => exchange(service.url, place.request(tried)) }, piece);
}

/** `npm run torture -- repetition`. */
export const torture = async () => {
  const slow = await tortureParsers();
  const { faults, count } = await tortureRoutes(1);
  const parsers = Object.keys(PARSERS).length;
  return {
    claim: 'every parser and every route handle long repetitive input in linear time',
    count: `${parsers} readers x ${PIECES.length} pieces, ${count} requests`,
    seed: 'none',
    faults: [...slow, ...faults],
  };
};
