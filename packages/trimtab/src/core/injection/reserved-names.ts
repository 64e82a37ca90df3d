import { injected } from '../../api/injected-pod.ts';

/** Whether the injector adds volumes with this name. */
export function isReservedVolume(name: string): boolean {
  const { identity, private: key, public: shared, birthPrefix, keptPrefix } = injected.volumes;
  return (
    [identity, key, shared].includes(name as never) ||
    [birthPrefix, keptPrefix].some(
      (prefix) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)),
    )
  );
}
