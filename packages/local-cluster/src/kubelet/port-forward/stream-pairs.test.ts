import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, it } from 'vitest';
import { SpdyStream } from '../spdy/spdy-stream.ts';
import { portOf, type StreamPair, StreamPairs } from './stream-pairs.ts';

/** A stream that records the data written to it. */
function stream(id: number, streamtype: string, requestid?: string) {
  const said: string[] = [];
  const headers = { streamtype, port: '80', ...(requestid !== undefined && { requestid }) };
  const made = new SpdyStream(id, headers, {
    send(data, isLast, done) {
      said.push(isLast ? 'end' : data.toString());
      done();
    },
    reset: () => said.push('reset'),
    gone: () => {},
  });
  return Object.assign(made, { said });
}

function pairing() {
  const clock = new ManualClock();
  const found: StreamPair[] = [];
  return { clock, found, pairs: new StreamPairs(clock, (pair) => found.push(pair)) };
}

describe('streams of port-forward', () => {
  it('belong together by the number of their request, in whatever order they come', () => {
    const { clock, found, pairs } = pairing();
    const all = [
      stream(1, 'error', 'a'),
      stream(3, 'data', 'b'),
      stream(5, 'error', 'b'),
      stream(7, 'data', 'a'),
    ];
    for (const each of all) pairs.add(each);
    expect(found.map(({ data, error, port }) => [data.id, error.id, port])).toEqual([
      [3, 5, 80],
      [7, 1, 80],
    ]);
    expect(clock.pending).toBe(0);
  });

  it('that have no number follow each other', () => {
    const { found, pairs } = pairing();
    for (const each of [stream(1, 'error'), stream(3, 'data')]) pairs.add(each);
    expect(found.map(({ data, error }) => [data.id, error.id])).toEqual([[3, 1]]);
  });

  it('that stay alone are ended after half a minute, and told why', async () => {
    const { clock, found, pairs } = pairing();
    const [error, data] = [stream(1, 'error', 'a'), stream(3, 'data', 'b')];
    pairs.add(error);
    pairs.add(data);
    await clock.advance(29_999);
    expect([error.said, data.said]).toEqual([[], []]);
    await clock.advance(1);
    expect(error.said).toEqual(['request a timed out waiting for streams', 'end']);
    expect(data.said).toEqual(['reset']);
    expect(found).toEqual([]);
  });

  it('that the client gives up are not waited for', async () => {
    const { clock, pairs } = pairing();
    const alone = stream(1, 'error', 'a');
    pairs.add(alone);
    alone.cutOff();
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });

  it('that come twice are refused, and the first goes on', () => {
    const { found, pairs } = pairing();
    const [first, twin, data] = [stream(1, 'data', 'a'), stream(3, 'data', 'a'), stream(5, 'error', 'a')];
    for (const each of [first, twin, data]) pairs.add(each);
    expect(twin.said).toEqual(['reset']);
    expect(found.map((pair) => pair.data.id)).toEqual([1]);
  });
});

it.each([
  [{ streamtype: 'data', port: '80' }, 80],
  [{ streamtype: 'error', port: '65535' }, 65_535],
  [{ streamtype: 'data', port: '0' }, undefined],
  [{ streamtype: 'data', port: '65536' }, undefined],
  [{ streamtype: 'data', port: '8o' }, undefined],
  [{ streamtype: 'data' }, undefined],
  [{ streamtype: 'other', port: '80' }, undefined],
  [{ port: '80' }, undefined],
])('the port of %j is %s', (headers, port) => {
  expect(portOf(headers as Record<string, string>)).toBe(port);
});
