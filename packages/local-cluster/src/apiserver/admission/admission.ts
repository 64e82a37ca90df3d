import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';

export interface UserInfo {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** A write under admission. */
export interface Attributes {
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  kind: Kind;
  subresource: string;
  /** Set when the object is of another kind, such as the Scale of a Deployment. */
  as?: { group: string; version: string; kind: string };
  namespace: string | undefined;
  name: string;
  /** Undefined for deletes. Mutating plugins may change it. */
  object: ApiObject | undefined;
  /** Undefined for creates. */
  old: ApiObject | undefined;
  user: UserInfo;
  dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` and so on, as the client sent them. */
  options: unknown;
  /** Sends a message to the client in a Warning header. */
  warn(message: string): void;
  /** Adds an annotation to the audit event. */
  annotate(key: string, value: string): void;
}

/**
 * Requires a second pass over all mutating plugins for this request. The second pass calls `again` in place of the
 * plugin's `mutate`.
 */
type RequireSecondPass = (again: () => Promise<void>) => void;

/** Sees every write: `mutate` before the object is validated, `validate` after. Throws a StatusError to refuse it. */
export interface AdmissionPlugin {
  name: string;
  mutate?(attributes: Attributes, requireSecondPass: RequireSecondPass): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
}

/** Runs all plugins in order. Webhooks and policies are plugins as well. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(attributes: Attributes): Promise<void> {
    const second = new Map<AdmissionPlugin, () => Promise<void>>();
    for (const plugin of this.#plugins)
      await plugin.mutate?.(attributes, (again) => second.set(plugin, again));
    if (second.size === 0) return;
    for (const plugin of this.#plugins) {
      const again = second.get(plugin);
      await (again === undefined ? plugin.mutate?.(attributes, () => {}) : again());
    }
  }

  async validate(attributes: Attributes): Promise<void> {
    for (const plugin of this.#plugins) await plugin.validate?.(attributes);
  }
}

/** Name of the object in a refusal; generateName when the name is not generated yet. */
export function nameInRefusals({ name, object }: Pick<Attributes, 'name' | 'object'>): string {
  return name || object?.metadata.name || (object?.metadata.generateName ?? '');
}
