import type { ApiObject } from '../../object.ts';
import type { LabelSelector } from '../../selector/object-selector.ts';
import type { ResourceRule } from '../match.ts';

export interface Webhook {
  name: string;
  clientConfig: {
    url?: string;
    service?: { name: string; namespace: string; path?: string; port?: number };
    caBundle?: string;
  };
  rules?: ResourceRule[];
  failurePolicy?: 'Fail' | 'Ignore';
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  matchConditions?: { name: string; expression: string }[];
  /** For mutating webhooks only. */
  reinvocationPolicy?: 'Never' | 'IfNeeded';
}

export interface WebhookConfiguration extends ApiObject {
  webhooks?: Webhook[];
}
