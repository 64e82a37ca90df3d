import { expect, test } from 'vitest';
import { curlOptions } from './curl-options.ts';

test('the options of curl for the gateway, in the syntax of a curl config file', () => {
  expect(curlOptions('/home/anna/my "state"/ca.crt', 'abc')).toBe(`cacert = "/home/anna/my \\"state\\"/ca.crt"
header = "Authorization: Bearer abc"
silent
show-error
`);
});
