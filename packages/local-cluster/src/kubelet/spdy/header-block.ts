/** Names in lower case, as SPDY has them. */
export type Headers = Readonly<Record<string, string>>;

const maxHeaders = 100;

/** The names and values of a frame, before they are compressed. */
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

/** Throws when the block is no block, or has more in it than anybody needs. */
export function decodeHeaderBlock(block: Buffer): Headers {
  let at = 0;
  const number = () => {
    if (at + 4 > block.length) throw new Error('the headers of a SPDY frame are cut off');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    if (length > block.length - at) throw new Error('the headers of a SPDY frame are cut off');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const count = number();
  if (count > maxHeaders) throw new Error(`a SPDY frame has ${count} headers, and ${maxHeaders} are allowed`);
  // No prototype: a header may have any name.
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < count; index++) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  if (at !== block.length) throw new Error('something follows the headers of a SPDY frame');
  return headers;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
