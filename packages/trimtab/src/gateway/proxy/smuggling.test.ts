import { afterEach, describe, expect, test } from 'vitest';
import { ScriptedUpstream } from '../../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`;
const hidden = lines('GET /smuggled HTTP/1.1', 'Host: x');

describe('bytes that two servers could read as different requests are refused', () => {
  test.each([
    [
      'a length beside chunks',
      lines('POST / HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked') +
        lines('0') +
        hidden,
      400,
    ],
    [
      'chunks beside a length',
      lines('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Content-Length: 50') +
        lines('0') +
        hidden,
      400,
    ],
    [
      'two lengths',
      lines('POST / HTTP/1.1', 'Host: x', 'Content-Length: 0', 'Content-Length: 40') + hidden,
      400,
    ],
    ['a length with a sign', lines('POST / HTTP/1.1', 'Host: x', 'Content-Length: +0') + hidden, 400],
    ['two lengths in one', lines('POST / HTTP/1.1', 'Host: x', 'Content-Length: 0, 40') + hidden, 400],
    [
      'a coding that is not chunked',
      lines('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: xchunked') + hidden,
      400,
    ],
    [
      'chunked twice',
      lines('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') +
        lines('0') +
        hidden,
      400,
    ],
    [
      'chunked of something else',
      lines('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked') + lines('0'),
      400,
    ],
    [
      'a folded line',
      lines('GET / HTTP/1.1', 'Host: x', 'X-A: b', ' Transfer-Encoding: chunked') + hidden,
      400,
    ],
    ['a space before the colon', lines('POST / HTTP/1.1', 'Host: x', 'Content-Length : 40') + hidden, 400],
    ['a NUL in a header', lines('GET / HTTP/1.1', 'Host: x', 'X-A: a\0b'), 400],
    ['a bare carriage return', lines('GET / HTTP/1.1', 'Host: x', 'X-A: a\rX-Remote-User: root'), 400],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n', 400],
    ['no host', lines('GET / HTTP/1.1'), 400],
    ['two hosts', lines('GET / HTTP/1.1', 'Host: x', 'Host: y'), 400],
    ['a control character in the path', lines('GET /a\x01 HTTP/1.1', 'Host: x'), 400],
    ['a whole URL', lines('GET http://10.0.0.1/api HTTP/1.1', 'Host: x'), 400],
    ['an odd method', lines('PROPFIND / HTTP/1.1', 'Host: x'), 405],
    ['no method at all', lines('GIVE / HTTP/1.1', 'Host: x'), 400],
  ])('%s', async (_, bytes, code) => {
    upstream = await ScriptedUpstream.start({});
    // The gateway's own refusals leave the connection open; the last request closes it.
    const answer = await upstream.raw(
      `${bytes}${lines('GET /last HTTP/1.1', 'Host: x', 'Connection: close')}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(upstream.requests.map(({ url }) => url).filter((url) => url !== '/last')).toEqual([]);
  });
});

test.each([
  ['as many as are allowed', 190, 200],
  ['more than are allowed', 191, 431],
  ['more than the parser of the compiled program takes', 300, 431],
  ['more than the parser of Node takes', 3_000, 431],
])('%s: of %i headers, the last one is not lost', async (_, count, code) => {
  upstream = await ScriptedUpstream.start({});
  const others = Array.from({ length: count - 3 }, (_, n) => `X-${n}: a`);
  const head = ['GET / HTTP/1.1', 'Host: x', 'Connection: close', ...others, 'Authorization: Bearer last'];
  const answer = await upstream.raw(lines(...head));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
  if (code !== 200)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      ...{ kind: 'Status', reason: 'RequestHeaderFieldsTooLarge', code },
      message: expect.stringMatching(/too many headers|must not have more than 190/),
    });
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(
    code === 200 ? ['Bearer last'] : [],
  );
});

test('a tunnel through the gateway is not opened', async () => {
  upstream = await ScriptedUpstream.start({});
  expect(await upstream.raw(lines('CONNECT 10.0.0.1:22 HTTP/1.1', 'Host: x'))).not.toMatch(/^HTTP\/1.1 2/);
  expect(upstream.requests).toEqual([]);
});

test('chunks with extensions and trailers arrive as a plain body', async () => {
  const bodies: string[] = [];
  upstream = await ScriptedUpstream.start({
    async answer(incoming, response) {
      let text = '';
      for await (const part of incoming) text += part;
      bodies.push(text + JSON.stringify(incoming.trailers));
      response.end();
    },
  });
  const head = lines(
    'POST / HTTP/1.1',
    'Host: x',
    'Connection: close',
    'Trailer: X-T',
    'Transfer-Encoding: chunked',
  );
  await upstream.raw(`${head}3;a=b\r\nabc\r\n0\r\nX-Remote-User: root\r\n\r\n`);
  expect(bodies).toEqual(['abc{}']);
});

test('requests that follow each other without waiting are answered in their order', async () => {
  const waiting: (() => void)[] = [];
  upstream = await ScriptedUpstream.start({
    answer(incoming, response) {
      waiting.unshift(() => response.end(`answer to ${incoming.url}`));
      // The later request is answered first.
      if (waiting.length === 2) for (const answer of waiting) answer();
    },
  });
  const answer = await upstream.raw(
    lines('GET /first HTTP/1.1', 'Host: x') + lines('GET /second HTTP/1.1', 'Host: x', 'Connection: close'),
  );
  expect(answer.match(/answer to \/[a-z]+/g)).toEqual(['answer to /first', 'answer to /second']);
});
