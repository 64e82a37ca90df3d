import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DefaultRoles {
  clusterRoles: object[];
  clusterRoleBindings: object[];
}

/** The roles that every cluster has; tools/update-default-roles.ts takes them from a real one. */
export function defaultRoles(): DefaultRoles {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'default-roles.json'), 'utf8')) as DefaultRoles;
}
