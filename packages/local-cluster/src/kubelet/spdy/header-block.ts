/** Names are in lower case, as in SPDY. */
export type Headers = Readonly<Record<string, string>>;

const maxHeaders = 100;

/** Encodes the names and values of a frame, before compression. */
export function encodeHeaderBlock(headers: Headers): Buffer {
  const entries = Object.entries(headers);
  const parts = [word(entries.length)];
  for (const [name, value] of entries)
    for (const text of [name.toLowerCase(), value]) {
      const bytes = Buffer.from(text);
      parts.push(word(bytes.length), bytes);
    }
  return Buffer.concat(parts);
}

/** Throws when the block is malformed or has too many headers. */
export function decodeHeaderBlock(block: Buffer): Headers {
  let at = 0;
  const number = () => {
    if (at + 4 > block.length) throw new Error('SPDY header block is truncated');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    if (length > block.length - at) throw new Error('SPDY header block is truncated');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const count = number();
  if (count > maxHeaders)
    throw new Error(`SPDY frame has ${count} headers; at most ${maxHeaders} are allowed`);
  // Without a prototype, because a header may have any name.
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < count; index++) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  if (at !== block.length) throw new Error('SPDY header block has trailing bytes');
  return headers;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
