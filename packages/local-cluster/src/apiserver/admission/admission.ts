import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { noFurtherPass, type SecondPass } from './second-pass.ts';

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

/** Sees every write: `mutate` before the object is validated, `validate` after. Throws a StatusError to refuse it. */
export interface AdmissionPlugin {
  name: string;
  mutate?(attributes: Attributes, secondPass: SecondPass): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
}

/** Runs all plugins in order. Webhooks and policies are plugins as well. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(attributes: Attributes): Promise<void> {
    const instead = new Map<AdmissionPlugin, () => Promise<void>>();
    let isRequired = false;
    for (const plugin of this.#plugins)
      await plugin.mutate?.(attributes, {
        require() {
          isRequired = true;
        },
        instead: (again) => void instead.set(plugin, again),
      });
    if (!isRequired) return;
    for (const plugin of this.#plugins) {
      const again = instead.get(plugin);
      await (again === undefined ? plugin.mutate?.(attributes, noFurtherPass) : again());
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
