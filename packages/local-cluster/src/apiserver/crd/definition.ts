import type { ApiObject } from '../object.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The fields of a CustomResourceDefinition that the server reads. */
export interface Definition extends ApiObject {
  spec: {
    group: string;
    scope: string;
    names: Names;
    versions: DefinedVersion[] | null;
    conversion?: { strategy?: string };
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions: Condition[] | null;
    acceptedNames: Partial<Names>;
    storedVersions: string[] | null;
  };
}

export interface Names {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface DefinedVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: StructuralSchema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface Condition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function isTrue({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
}

/** Orders v2 before v1, v1beta2, v1beta1 and v1alpha1; other names follow in alphabetical order. */
export function byPriority(a: string, b: string): number {
  const [left, right] = [priorityOf(a), priorityOf(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function priorityOf(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor = '0'] = match;
  return {
    stage: stage === undefined ? 2 : stage === 'beta' ? 1 : 0,
    major: Number(major),
    minor: Number(minor),
  };
}
