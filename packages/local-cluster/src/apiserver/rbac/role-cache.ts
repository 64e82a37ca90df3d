import type { Store } from '../../store/store.ts';
import type { Kind } from '../kinds/kind.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../kinds/policy/rbac.ts';
import type { ClusterRole, Role, RoleBinding, RoleSource } from './roles.ts';

type Objects = Map<string, Role | RoleBinding>;

/** Cache of all roles and bindings, as every request needs them; listed once and then kept up to date by a watch. */
export class RoleCache implements RoleSource {
  /** By kind, then by namespace (empty for cluster-scoped objects), then by name. */
  readonly #found = new Map<Kind, Map<string, Objects>>();
  readonly #stop: () => void;

  constructor(store: Store) {
    const kinds = [roles, clusterRoles, roleBindings, clusterRoleBindings];
    const from = store.revision;
    for (const kind of kinds) {
      this.#found.set(kind, new Map());
      for (const { key, value } of store.list(kind.storagePrefix).items) this.#put(kind, key, value);
    }
    this.#stop = store.watch(from, ({ type, now }) => {
      const kind = kinds.find(({ storagePrefix }) => now.key.startsWith(storagePrefix));
      if (kind === undefined) return;
      if (type !== 'delete') return this.#put(kind, now.key, now.value);
      const { namespace, name } = placeOf(kind, now.key);
      this.#found.get(kind)?.get(namespace)?.delete(name);
    });
  }

  close(): void {
    this.#stop();
  }

  *clusterRoleBindings(): Iterable<RoleBinding> {
    yield* this.#all(clusterRoleBindings, '') as Iterable<RoleBinding>;
  }

  *roleBindings(namespace: string): Iterable<RoleBinding> {
    yield* this.#all(roleBindings, namespace) as Iterable<RoleBinding>;
  }

  clusterRole(name: string): ClusterRole | undefined {
    return this.#found.get(clusterRoles)?.get('')?.get(name) as ClusterRole | undefined;
  }

  *clusterRoles(): Iterable<ClusterRole> {
    yield* this.#all(clusterRoles, '') as Iterable<ClusterRole>;
  }

  role(namespace: string, name: string): Role | undefined {
    return this.#found.get(roles)?.get(namespace)?.get(name) as Role | undefined;
  }

  #all(kind: Kind, namespace: string): Iterable<Role | RoleBinding> {
    return this.#found.get(kind)?.get(namespace)?.values() ?? [];
  }

  #put(kind: Kind, key: string, text: string): void {
    const { namespace, name } = placeOf(kind, key);
    const spaces = this.#found.get(kind);
    const objects: Objects = spaces?.get(namespace) ?? new Map();
    spaces?.set(namespace, objects.set(name, JSON.parse(text) as Role | RoleBinding));
  }
}

function placeOf({ storagePrefix, namespaced }: Kind, key: string): { namespace: string; name: string } {
  const rest = key.slice(storagePrefix.length);
  const slash = namespaced ? rest.indexOf('/') : -1;
  return { namespace: slash < 0 ? '' : rest.slice(0, slash), name: rest.slice(slash + 1) };
}
