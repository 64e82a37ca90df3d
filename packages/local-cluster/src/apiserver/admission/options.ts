import type { Attributes } from './admission.ts';

const kinds = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'ConnectOptions',
};

/** Options of a write as admission sees them. `given` is the DeleteOptions in the body of a deletion. */
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
