import type { Duplex } from 'node:stream';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { encodeFrame, type Frame } from '../../src/kubelet/spdy/frame.ts';
import { FrameReader } from '../../src/kubelet/spdy/frame-reader.ts';
import { encodeHeaderBlock, type Headers } from '../../src/kubelet/spdy/header-block.ts';
import { HeaderPacker } from '../../src/kubelet/spdy/header-compression.ts';

/** Writes raw SPDY frames and records the received ones. */
export class SpdyClient {
  readonly got: Frame[] = [];
  readonly #end: Duplex;
  readonly #packer = new HeaderPacker();

  constructor(end: Duplex) {
    this.#end = end;
    const reader = new FrameReader();
    end.on('data', (part: Buffer) => this.got.push(...reader.read(part)));
    end.on('error', () => {});
  }

  write(bytes: Buffer): void {
    this.#end.write(bytes);
  }

  send(frame: Exclude<Frame, { type: 'other' }>): void {
    this.write(encodeFrame(frame));
  }

  open(stream: number, headers: Headers = {}, isLast = false): void {
    this.send({ type: 'open', stream, isLast, packedHeaders: this.#packer.pack(encodeHeaderBlock(headers)) });
  }

  say(stream: number, text: string, isLast = false): void {
    this.send({ type: 'data', stream, isLast, data: Buffer.from(text) });
  }

  /** All data received on a stream. */
  said(stream: number): string {
    const parts = this.got.flatMap((each) =>
      each.type === 'data' && each.stream === stream ? [each.data] : [],
    );
    return Buffer.concat(parts).toString();
  }

  /** Whether the server has ended or reset a stream. */
  isOver(stream: number): boolean {
    return this.got.some(
      (each) =>
        (each.type === 'data' && each.stream === stream && each.isLast) ||
        (each.type === 'reset' && each.stream === stream),
    );
  }

  leave(): void {
    this.#end.destroy();
  }

  async until(what: string, isSo: (got: Frame[]) => boolean): Promise<void> {
    const look = async () => (isSo(this.got) ? { met: true } : { seen: JSON.stringify(this.got) });
    await waitFor(what, look, { everyMs: 2 });
  }
}
