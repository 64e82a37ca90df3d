import type { Engine, Identity } from '@trimtab/test-bed/engines/engine.ts';
import { type KubectlOptions, type KubectlResult, kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { Api } from './http.ts';

/** The resources of a case: an API server, and a namespace for the area. */
export class Target {
  readonly engine: Engine;
  readonly namespace: string;
  /** Client of the administrator. */
  readonly api: Api;
  readonly #apis: Api[];
  readonly #undo: (() => Promise<unknown>)[] = [];

  static async open(engine: Engine): Promise<Target> {
    return new Target(engine, await engine.namespace(), new Api(await engine.access()));
  }

  private constructor(engine: Engine, namespace: string, api: Api) {
    this.engine = engine;
    this.namespace = namespace;
    this.api = api;
    this.#apis = [api];
  }

  async as(who: Identity): Promise<Api> {
    const api = new Api(await this.engine.access(who));
    this.#apis.push(api);
    return api;
  }

  /** Returns a path in the area's namespace: `core('configmaps/foo')`. */
  readonly core = (rest: string): string => `/api/v1/namespaces/${this.namespace}/${rest}`;

  readonly apps = (rest: string): string => this.group('apps/v1', rest);

  readonly group = (groupVersion: string, rest: string): string =>
    `/apis/${groupVersion}/namespaces/${this.namespace}/${rest}`;

  kubectl(args: string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    return kubectl(this.engine, args, { namespace: this.namespace, ...options });
  }

  /** Creates an object outside of the namespace, and deletes it after the cases of the area. */
  async createForAll(path: string, object: { metadata: { name: string } }): Promise<void> {
    const { code, text } = await this.api.post(path, object);
    if (code !== 201) throw new Error(`POST ${path}: ${code} ${text}`);
    this.onClose(() => this.api.delete(`${path}/${object.metadata.name}`));
  }

  onClose(undo: () => Promise<unknown>): void {
    this.#undo.push(undo);
  }

  async close(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    for (const api of this.#apis) api.close();
    await this.engine.close();
  }
}

/** Runs a setup once per area, when the first case needs it. */
export function once<T>(make: (target: Target) => Promise<T>): (target: Target) => Promise<T> {
  const made = new WeakMap<Target, Promise<T>>();
  return (target) => {
    const before = made.get(target) ?? make(target);
    made.set(target, before);
    return before;
  };
}
