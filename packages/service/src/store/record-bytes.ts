/** A record in one piece, off the hot path. */
import type { RecordPieces } from './port.ts';

export const recordBytes = ({ before, intent, after }: RecordPieces): Buffer =>
  Buffer.concat([Buffer.from(before), intent, Buffer.from(after)]);
