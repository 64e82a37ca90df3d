import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DefaultRoles {
  clusterRoles: object[];
  clusterRoleBindings: object[];
}

/** The default roles of every cluster; tools/update-default-roles.ts copies them from a real cluster. */
export function defaultRoles(): DefaultRoles {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'default-roles.json'), 'utf8')) as DefaultRoles;
}
