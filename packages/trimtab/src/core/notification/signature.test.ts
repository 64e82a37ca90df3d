import { expect, test } from 'vitest';
import { parseSigningKeys, signatureHeaders } from './signature.ts';

/** The example of the specification of Standard Webhooks. */
const example = {
  key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('a request is signed as the specification says', () => {
  const keys = parseSigningKeys(`${example.key}\n`) ?? [];
  expect(signatureHeaders(keys, example.id, example.timestamp, example.body)).toEqual({
    'webhook-id': example.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': example.signature,
  });
});

test('with two keys, receivers that know either of them accept the request', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const keys = parseSigningKeys(`${other}\n${example.key}\n`) ?? [];
  const headers = signatureHeaders(keys, example.id, example.timestamp, example.body);
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  expect(signatures).toHaveLength(2);
  expect(signatures[1]).toBe(example.signature);
});

test('without a key there is no signature', () => {
  expect(signatureHeaders([], 'a', 1, '')).toEqual({ 'webhook-id': 'a', 'webhook-timestamp': '1' });
});

test.each(['', 'secret', 'whsec_c2hvcnQ=', `${example.key}\nsecret`])('%j is not a list of keys', (text) => {
  expect(parseSigningKeys(text)).toBeUndefined();
});
