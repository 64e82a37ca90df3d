import { type FieldError, invalid } from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import { quantityUnits } from '../../schema/quantity.ts';
import { notNegative } from './pod-validation.ts';

/** Resources of which a namespace has a whole number. */
const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const computed = ['cpu', 'memory', 'ephemeral-storage'];
const ofQuota = [
  ...counted,
  ...computed,
  ...computed.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
];

const isHugePages = (name: string) => name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');

/** Whether a name in a quota is one that Kubernetes defines. */
export function isStandardQuotaName(name: string): boolean {
  return ofQuota.includes(name) || isHugePages(name);
}

/** Validates a resource name. Names without a prefix are reserved for Kubernetes. */
export function resourceNameErrors(name: string, path: string): FieldError[] {
  const problems = qualifiedName(name);
  if (problems.length === 0 && !name.includes('/') && name !== 'storage' && !isStandardQuotaName(name))
    problems.push('must be a standard resource type or fully qualified');
  return problems.map((each) => invalid(path, name, each));
}

/** Validates the name of a resource of containers and pods. */
export function containerResourceErrors(name: string, path: string): FieldError[] {
  const errors = resourceNameErrors(name, path);
  if (name.includes('/')) {
    if (isNative(name) || !name.startsWith('requests.')) return errors;
    return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
  }
  if (computed.includes(name) || name.startsWith('hugepages-')) return errors;
  return [...errors, invalid(path, name, 'must be a standard resource for containers')];
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether limits of a resource may exceed the capacity. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !name.startsWith('hugepages-');
}

export function quotaNameErrors(name: string, path: string): FieldError[] {
  const errors = resourceNameErrors(name, path);
  if (!name.includes('/') && !isStandardQuotaName(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
  return errors;
}

export function quotaAmountErrors(name: string, amount: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const thousandths = quantityUnits(amount, 3) ?? 0n;
  if (thousandths < 0n) errors.push(invalid(path, amount, notNegative));
  const isWhole = counted.includes(name) || (!isNative(name) && !name.startsWith('requests.'));
  if (isWhole && thousandths % 1000n !== 0n) errors.push(invalid(path, amount, 'must be an integer'));
  return errors;
}
