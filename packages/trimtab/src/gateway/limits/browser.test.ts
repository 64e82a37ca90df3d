import { expect, test } from 'vitest';
import { refuseForeignHosts, refuseForeignPages } from './browser.ts';

test.each([
  [{}, false],
  [{ origin: 'http://localhost:8001' }, false],
  [{ origin: 'http://localhost:8002' }, true],
  [{ origin: 'http://evil.example' }, true],
  [{ origin: 'null' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, true],
  [{ 'sec-fetch-site': 'same-site' }, true],
  [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8001' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
])('a request of a page with %j is refused: %s', (headers, refused) => {
  const check = () => refuseForeignPages({ host: 'localhost:8001', ...headers });
  if (refused) expect(check).toThrow('cross-origin requests');
  else expect(check).not.toThrow();
});

test.each([
  ['localhost:8001', false],
  ['127.0.0.1', false],
  ['[::1]:8001', false],
  ['evil.example:8001', true],
  ['localhost.evil.example', true],
  ['127.0.0.1.evil.example', true],
  ['', true],
])('the host %j is refused: %s', (host, refused) => {
  const check = () => refuseForeignHosts({ host });
  if (refused) expect(check).toThrow('serves localhost, 127.0.0.1 and [::1] only');
  else expect(check).not.toThrow();
});
