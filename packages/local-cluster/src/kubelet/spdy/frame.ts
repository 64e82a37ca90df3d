/** The frames of SPDY/3.1 that port-forward needs. Flow control is omitted: Kubernetes' SPDY does not use it. */
export type Frame =
  | { type: 'open'; stream: number; isLast: boolean; packedHeaders: Buffer }
  | { type: 'reply'; stream: number; isLast: boolean; packedHeaders: Buffer }
  | { type: 'headers'; stream: number; isLast: boolean; packedHeaders: Buffer }
  | { type: 'reset'; stream: number; status: number }
  | { type: 'ping'; id: number }
  | { type: 'go-away'; lastStream: number; status: number }
  /** May be a part of a data frame, because parts are not collected. */
  | { type: 'data'; stream: number; isLast: boolean; data: Buffer }
  /** SETTINGS, WINDOW_UPDATE and unknown frames. */
  | { type: 'other'; kind: number };

export const resetStatus = {
  protocolError: 1,
  invalidStream: 2,
  refused: 3,
  cancel: 5,
  internal: 6,
} as const;

export const version = 3;
export const kinds = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
export const lastFlag = 1;

export function encodeFrame(frame: Exclude<Frame, { type: 'other' }>): Buffer {
  const flags = 'isLast' in frame && frame.isLast ? lastFlag : 0;
  switch (frame.type) {
    case 'open':
      return control(kinds.open, flags, words(frame.stream, 0), Buffer.alloc(2), frame.packedHeaders);
    case 'reply':
      return control(kinds.reply, flags, words(frame.stream), frame.packedHeaders);
    case 'headers':
      return control(kinds.headers, flags, words(frame.stream), frame.packedHeaders);
    case 'reset':
      return control(kinds.reset, 0, words(frame.stream, frame.status));
    case 'ping':
      return control(kinds.ping, 0, words(frame.id));
    case 'go-away':
      return control(kinds.goAway, 0, words(frame.lastStream, frame.status));
    case 'data':
      return Buffer.concat([words(frame.stream, sized(flags, frame.data.length)), frame.data]);
  }
}

function control(kind: number, flags: number, ...parts: Buffer[]): Buffer {
  const payload = Buffer.concat(parts);
  const first = ((0x8000 | version) * 0x10000 + kind) >>> 0;
  return Buffer.concat([words(first, sized(flags, payload.length)), payload]);
}

function sized(flags: number, length: number): number {
  return flags * 0x1000000 + length;
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
