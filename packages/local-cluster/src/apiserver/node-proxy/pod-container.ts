import { badRequest } from '../errors/status-error.ts';
import type { Pod } from '../kinds/core/pod-types.ts';

/** Returns the requested container of a pod, or the only one without a request. Throws a StatusError. */
export function podContainer({ metadata, spec }: Pod, asked: string | null): string {
  const names = (list: { name: string }[] | null | undefined) => (list ?? []).map(({ name }) => name);
  const [containers, init] = [names(spec.containers), names(spec.initContainers)];
  if (asked !== null && asked !== '') {
    if ([...containers, ...init, ...names(spec.ephemeralContainers)].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only, ...others] = containers;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${metadata.name}`);
  if (others.length === 0) return only;
  const initText = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(
    `a container name must be specified for pod ${metadata.name}, choose one of: [${containers.join(' ')}]${initText}`,
  );
}
