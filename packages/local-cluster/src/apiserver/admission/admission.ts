import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';

export interface UserInfo {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** One write on its way in, as admission sees it. */
export interface Attributes {
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  kind: Kind;
  subresource: string;
  /** What the object is, where it is not of the kind: a Scale of a Deployment. */
  as?: { group: string; version: string; kind: string };
  namespace: string | undefined;
  name: string;
  /** Undefined for deletes. Those that mutate may change it. */
  object: ApiObject | undefined;
  /** Undefined for creates. */
  old: ApiObject | undefined;
  user: UserInfo;
  dryRun: boolean;
  /** `CreateOptions` and so on, as sent. */
  options: unknown;
  /** Shown to the client in a Warning header. */
  warn(message: string): void;
  /** Noted in the audit log. */
  annotate(key: string, value: string): void;
}

/** Looks at every write before it is validated, and again after; throws a StatusError to refuse it. */
export interface AdmissionPlugin {
  name: string;
  mutate?(attributes: Attributes): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
}

/** All plugins in their order. Webhooks and policies are plugins, too. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(attributes: Attributes): Promise<void> {
    for (const plugin of this.#plugins) await plugin.mutate?.(attributes);
  }

  async validate(attributes: Attributes): Promise<void> {
    for (const plugin of this.#plugins) await plugin.validate?.(attributes);
  }
}

/** How a refusal names the object: one that is yet to get its name by itself goes by how that begins. */
export function nameInRefusals({ name, object }: Pick<Attributes, 'name' | 'object'>): string {
  return name || object?.metadata.name || (object?.metadata.generateName ?? '');
}
