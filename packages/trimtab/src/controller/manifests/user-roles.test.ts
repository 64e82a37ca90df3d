import { expect, test } from 'vitest';
import { userRoles } from './user-roles.ts';

test.each([
  ['trimtab-reader', 'configmaps'],
  ['trimtab-releaser', 'configmaps'],
  ['trimtab-secret-reader', 'secrets'],
  ['trimtab-secret-releaser', 'secrets'],
])('%s may watch what trimtab proxy watches for a stream of current versions', (name, plural) => {
  const role = userRoles({}).find(({ metadata }) => metadata.name === name);
  for (const resource of ['configrollouts', plural])
    expect(role).toMatchObject({
      rules: expect.arrayContaining([
        expect.objectContaining({
          resources: [resource],
          verbs: expect.arrayContaining(['get', 'list', 'watch']),
        }),
      ]),
    });
});
