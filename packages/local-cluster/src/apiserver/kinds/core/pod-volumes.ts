import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import { dnsLabel } from '../../meta/names.ts';
import { isObject } from '../../object.ts';
import { quantityValue } from '../../schema/quantity.ts';
import type { Volume } from './pod-types.ts';
import { type KeyToPath, validateKeys, validateMode, validateNoSteps } from './volume-paths.ts';
import { validateDownwardFiles, validateProjected } from './volume-projections.ts';

/** In the order in which Kubernetes checks them: the first source is validated, and further ones are refused. */
const sourceOrder = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Names that Kubernetes spells differently in this message. */
const writtenAs: Record<string, string> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/** Adds the names of valid volumes to `known`; a mount of any other volume is reported as not found. */
export function validateVolumes(volumes: readonly Volume[], path: string, known: Set<string>): FieldError[] {
  return volumes.flatMap((volume, index) => {
    const errors = validateVolume(volume, `${path}[${index}]`, known);
    if (errors.length === 0) known.add(volume.name);
    return errors;
  });
}

function validateVolume(volume: Volume, path: string, known: ReadonlySet<string>): FieldError[] {
  const { name } = volume;
  const [source, ...others] = sourceOrder.filter((each) => volume[each] !== undefined);
  const errors = source === undefined ? [] : validateSource(source, volume[source], `${path}.${source}`);
  for (const other of others)
    errors.push(
      forbiddenField(`${path}.${writtenAs[other] ?? other}`, 'may not specify more than 1 volume type'),
    );
  if (!name) errors.push(required(`${path}.name`));
  else {
    errors.push(...dnsLabel(name).map((each) => invalid(`${path}.name`, name, each)));
    if (known.has(name)) errors.push(duplicate(`${path}.name`, name));
  }
  return errors;
}

interface FileSource {
  name?: string;
  secretName?: string;
  defaultMode?: number;
  items?: KeyToPath[];
}

/** Validates the common sources; the others need drivers that only a real cluster has. */
function validateSource(source: string, value: unknown, path: string): FieldError[] {
  const fields = isObject(value) ? value : {};
  switch (source) {
    case 'configMap':
      return validateFiles(fields, 'name', path);
    case 'secret':
      return validateFiles(fields, 'secretName', path);
    case 'downwardAPI':
      return validateDownwardFiles(fields, path);
    case 'projected':
      return validateProjected(fields, path);
    case 'hostPath':
      return validateHostPath(fields, path);
    case 'persistentVolumeClaim':
      return fields['claimName'] ? [] : [required(`${path}.claimName`)];
    case 'emptyDir':
      return (quantityValue(String(fields['sizeLimit'] ?? '0')) ?? 0) < 0
        ? [forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
        : [];
    default:
      return [];
  }
}

function validateFiles(source: FileSource, key: 'name' | 'secretName', path: string): FieldError[] {
  return [
    ...(source[key] ? [] : [required(`${path}.${key}`)]),
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...validateKeys(source.items ?? [], `${path}.items`),
  ];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateHostPath(source: { path?: string; type?: string }, path: string): FieldError[] {
  const { path: host = '', type = '' } = source;
  if (host === '') return [required(`${path}.path`)];
  const errors = validateNoSteps(host, `${path}.path`);
  if (!hostPathTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, hostPathTypes));
  return errors;
}
