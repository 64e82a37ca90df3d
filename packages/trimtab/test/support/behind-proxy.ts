import type { Address, Engine, Identity } from '@trimtab/test-bed/engines/engine.ts';
import type { Match } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';

/**
 * A cluster whose API server can be taken away from programs with a kubeconfig, such as the controller and the gateway.
 * Other tests use the same API server, so it is not killed itself.
 */
export class BehindProxy implements AsyncDisposable {
  readonly engine: Engine;
  readonly #proxy: FaultProxy;
  #retire = () => {};

  private constructor(engine: Engine, proxy: FaultProxy) {
    this.#proxy = proxy;
    const at = { url: proxy.url, authority: proxy.authority };
    this.engine = new Proxy(engine, {
      get(target, key) {
        if (key === 'kubeconfigOf')
          return (who: Identity | undefined, where: Address = at) => target.kubeconfigOf(who, where);
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  static async start(engine: Engine): Promise<BehindProxy> {
    return new BehindProxy(engine, await FaultProxy.start({ access: await engine.access(), tls: true }));
  }

  async takeAway(): Promise<void> {
    this.#retire = this.#proxy.inject({ fault: { kind: 'fail-before' }, when: { probability: 1 } }).retire;
    await this.#proxy.breakWatches('cut');
  }

  /** Delivers these events later, and with them all that follow in the same watches. */
  delayEvents(when: Match, ms: number): void {
    this.#proxy.inject({ when, fault: { kind: 'delay-event', ms } });
  }

  bringBack(): void {
    this.#retire();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#proxy.close();
  }
}
