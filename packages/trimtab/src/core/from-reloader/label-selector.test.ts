import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

const objects = {
  prod: { env: 'prod', 'example.com/tier': 'web' },
  test: { env: 'test' },
  none: {},
};

test.each([
  ['env=prod', ['prod']],
  ['env==prod', ['prod']],
  ['env = prod', ['prod']],
  ['env!=prod', ['test', 'none']],
  ['env', ['prod', 'test']],
  ['!env', ['none']],
  ['env in (prod, test)', ['prod', 'test']],
  ['env notin (prod,stage)', ['test', 'none']],
  ['env,example.com/tier=web', ['prod']],
  ['env in (prod,test),!example.com/tier', ['test']],
  ['toString', []],
])('%s', (text, expected) => {
  const selects = parseLabelSelector(text);
  const selected = Object.entries(objects).filter(([, labels]) => selects?.(labels));
  expect(selected.map(([name]) => name)).toEqual(expected);
});

test.each(['', 'env:prod', 'env=*', 'env in prod', 'env in (prod', 'a=b,', '/a', 'env=(a)', 'env > 1'])(
  '"%s" is not valid',
  (text) => {
    expect(parseLabelSelector(text)).toBeUndefined();
  },
);

test('any text is a selector or is not valid', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseLabelSelector(text)?.({ env: text })));
});
