/** The bytes of a segment: how one commit's records and leaves lie in one blob. */

export interface SegmentEntry {
  readonly record: Uint8Array;
  readonly leaf: Uint8Array;
}

const WORD_BYTES = 4;

/**
 * Little end first: the number of entries; for each the lengths of its record and its leaf; then all records and
 * leaves in turn. The lengths stand together so that one entry is found without reading the others.
 */
export const encodeSegment = (entries: readonly SegmentEntry[]): Buffer => {
  let size = WORD_BYTES + entries.length * 2 * WORD_BYTES;
  for (const { record, leaf } of entries) size += record.length + leaf.length;
  const body = Buffer.allocUnsafe(size);
  let head = body.writeUInt32LE(entries.length, 0);
  let at = WORD_BYTES + entries.length * 2 * WORD_BYTES;
  for (const { record, leaf } of entries) {
    head = body.writeUInt32LE(record.length, head);
    head = body.writeUInt32LE(leaf.length, head);
    body.set(record, at);
    body.set(leaf, at + record.length);
    at += record.length + leaf.length;
  }
  return body;
};

export const decodeSegment = (
  body: Buffer,
): readonly { readonly record: Buffer; readonly leaf: Buffer }[] => {
  const count = body.readUInt32LE(0);
  const entries: { readonly record: Buffer; readonly leaf: Buffer }[] = [];
  let at = WORD_BYTES + count * 2 * WORD_BYTES;
  for (let i = 0; i < count; i += 1) {
    const recordBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES);
    const leafBytes = body.readUInt32LE(WORD_BYTES + i * 2 * WORD_BYTES + WORD_BYTES);
    const leafAt = at + recordBytes;
    entries.push({ record: body.subarray(at, leafAt), leaf: body.subarray(leafAt, leafAt + leafBytes) });
    at = leafAt + leafBytes;
  }
  if (at !== body.length) throw new RangeError('a segment must end where its last leaf ends');
  return entries;
};
