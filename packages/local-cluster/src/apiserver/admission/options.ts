import type { Attributes } from './admission.ts';

const kinds = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'ConnectOptions',
};

/** How a write was asked for, as admission is told; of a deletion, what its body said. */
export function admissionOptions(
  operation: Attributes['operation'],
  query: URLSearchParams,
  given: object = {},
): object {
  const entries = Object.entries(given).filter(([key, value]) => key !== 'dryRun' && !isEmpty(value));
  const ofQuery = ['fieldManager', 'fieldValidation'].flatMap((key) => {
    const value = query.get(key);
    return value === null || operation === 'DELETE' ? [] : [[key, value]];
  });
  const isDry = query.has('dryRun') || (given as { dryRun?: boolean }).dryRun === true;
  return {
    kind: kinds[operation],
    apiVersion: 'meta.k8s.io/v1',
    ...Object.fromEntries([...entries, ...ofQuery]),
    ...(isDry && { dryRun: ['All'] }),
  };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}
