import { expect, test } from 'vitest';
import { certificatePrincipal } from './client-certificate.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const alice = { commonName: 'alice', organizations: ['team-a'], isVerified: true, validUntil: now + 1 };

test('a certificate is for its common name, in the groups of its organizations', () => {
  expect(certificatePrincipal({ ...alice, organizations: ['team-a', 'system:authenticated'] }, now)).toEqual({
    is: 'certificate',
    user: 'alice',
    groups: ['team-a', 'system:authenticated'],
  });
});

test.each([
  ['of nobody we know', { isVerified: false }, 'not signed by an authority'],
  ['that has expired since the connection was opened', { validUntil: now }, 'has expired'],
  ['without a name', { commonName: '' }, 'exactly one common name'],
  ['with several names', { commonName: undefined }, 'exactly one common name'],
  [
    'of the administrators’ group',
    { organizations: ['team-a', 'system:masters'] },
    'the group "system:masters"',
  ],
  ['of a node', { commonName: 'system:node:a', organizations: ['system:nodes'] }, 'the user "system:node:a"'],
  [
    'with a line break in its name',
    { commonName: 'a\nb' },
    '"a\\nb" is not accepted: names must not contain',
  ],
  ['of a group with a space at its end', { organizations: ['a', 'system:masters '] }, 'system:masters'],
  ['of a group with a space at its beginning', { organizations: ['a', ' system:masters'] }, 'white space'],
  ['of nobody', { commonName: 'system:anonymous', organizations: [] }, 'the user "system:anonymous"'],
])('a certificate %s is refused', (_, shown, problem) => {
  expect(() => certificatePrincipal({ ...alice, ...shown }, now)).toThrow(problem);
});
