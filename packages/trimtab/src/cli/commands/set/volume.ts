import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources, workloadResources } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { PodTemplate } from '../../../api/pod-template.ts';
import { mountConfig, unmountConfig, type VolumeRequest } from '../../../core/volume/config-volume.ts';
import { clientCommand } from '../../client-command.ts';
import { type Cluster, fieldManager } from '../../cluster/cluster.ts';
import { namesOfConfig } from '../../cluster/names-of-config.ts';
import { CommandFailure, usageError } from '../../failure.ts';
import {
  type ConfigArgument,
  configArgument,
  typedName,
  type WorkloadArgument,
  workloadArgument,
} from '../../object-argument.ts';
import { outputFlag, outputFormat } from '../../output/format.ts';
import { type DryRun, dryRunFlag, printWritten } from '../../output/written.ts';
import type { WorkloadObject } from '../../owner/read-owner.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab set volume',
    summary:
      'Mounts a ConfigMap or Secret into the containers of a workload, or removes the mount. The pods of the workload are replaced.',
    positionals: {
      workload: {
        required: true,
        help: 'Workload as TYPE/NAME, such as deployment/bar.',
        completes: 'workload',
      },
    },
    flags: {
      type: { type: 'choice', short: 't', choices: ['configmap', 'secret'], help: 'Kind of the config.' },
      configmapname: { type: 'string', placeholder: 'NAME', help: 'ConfigMap to mount.' },
      secretname: { type: 'string', placeholder: 'NAME', help: 'Secret to mount.' },
      mountPath: {
        type: 'string',
        short: 'm',
        placeholder: 'PATH',
        help: 'Folder in the containers. Defaults to /etc/ and the name of the config.',
      },
      subPath: {
        type: 'string',
        placeholder: 'KEY',
        help: 'Mount only this key, as a file at the mount path.',
      },
      containers: {
        type: 'string',
        short: 'c',
        default: '*',
        placeholder: 'NAMES',
        help: 'Names of containers and init containers, separated by commas; * stands for any characters.',
      },
      name: {
        type: 'string',
        help: 'Name of the volume. Defaults to the volume of the config if there is one, or to a name made from that of the config.',
      },
      remove: {
        type: 'boolean',
        help: 'Remove the mounts of the config, and its volume once no container mounts it.',
      },
      dryRun: dryRunFlag,
      output: outputFlag,
    },
    examples: [
      {
        does: 'Mount ConfigMap foo at /etc/foo in all containers of Deployment bar',
        command: 'trimtab set volume deployment/bar -t configmap --configmapname foo',
      },
      {
        does: 'Mount one key of a Secret as a file in one container',
        command:
          'trimtab set volume deployment/bar -t secret --secretname tls --sub-path ca.crt --mount-path /etc/ssl/ca.crt --containers app',
      },
      {
        does: 'Remove the mounts of ConfigMap foo',
        command: 'trimtab set volume deployment/bar -t configmap --configmapname foo --remove',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, warn }) => {
    const format = outputFormat(flags.output);
    const workload = workloadArgument(positionals.workload);
    const config = configOf(flags);
    const { name: volumeName, mountPath, subPath, containers } = flags;
    if (mountPath !== undefined && !/^(\/|[A-Za-z]:[\\/])/.test(mountPath))
      throw usageError(`--mount-path ${mountPath} is not absolute: write it with a leading /`);
    if (volumeName !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(volumeName))
      throw usageError(
        `--name ${volumeName} is not a valid name of a volume: must be a lowercase RFC 1123 label`,
      );
    const open = await cluster();
    const [{ object, changed }] = await Promise.all([
      write(open, workload, config, { volumeName, mountPath, subPath, containers }, flags, warn),
      flags.remove ? undefined : warnIfMissing(open, workload, config, warn),
    ]);
    if (!changed && flags.remove)
      warn(`${typedName(workload)} does not mount ${typedName(config)} there; nothing was changed`);
    printWritten(screen, format, 'updated', { ...object, kind: workload.kind }, flags.dryRun);
    return 0;
  },
);

function configOf({
  type,
  configmapname,
  secretname,
}: {
  type: 'configmap' | 'secret' | undefined;
  configmapname: string | undefined;
  secretname: string | undefined;
}): ConfigArgument {
  if (configmapname !== undefined && secretname !== undefined)
    throw usageError('--configmapname and --secretname cannot be combined: mount one config at a time');
  const kind = type ?? (secretname === undefined ? 'configmap' : 'secret');
  const name = kind === 'secret' ? secretname : configmapname;
  if (name === undefined) throw usageError(`--${kind}name is required with --type ${kind}`);
  return configArgument(`${kind}/${name}`);
}

/** Another writer may change the pod template at the same time. */
const maxTries = 5;

async function write(
  cluster: Cluster,
  workload: WorkloadArgument,
  config: ConfigArgument,
  wanted: Omit<VolumeRequest, 'kind' | 'config' | 'names'>,
  { remove, dryRun }: { remove: boolean; dryRun: DryRun },
  warn: (text: string) => void,
): Promise<{ object: WorkloadObject; changed: boolean }> {
  const { client, namespace } = cluster;
  const resource = workloadResources[workload.kind];
  const where = { namespace, name: workload.name };
  let object = await client.get<WorkloadObject>(resource, where);
  for (let tries = 1; ; tries++) {
    const template: PodTemplate = object.spec?.template ?? {};
    const names = await namesOfConfig(client, { ...config, namespace }, template, warn);
    const request = { kind: config.kind, config: config.name, names, ...wanted };
    const change = (remove ? unmountConfig : mountConfig)(template, request);
    if ('problem' in change)
      throw new CommandFailure(`${typedName(workload)}: ${change.problem}`, { hint: change.remedy });
    if (!change.changed) return { object, changed: false };
    if (dryRun === 'client')
      return { object: { ...object, spec: { ...object.spec, template: change.template } }, changed: true };
    const path = '/spec/template/spec';
    const operations = [
      { op: 'test' as const, path, value: template.spec },
      { op: 'replace' as const, path, value: change.template.spec },
    ];
    const options = { fieldManager, ...(dryRun === 'server' && { dryRun: true }) };
    try {
      const patched = await client.patch<WorkloadObject>(
        resource,
        where,
        { type: 'json', operations },
        options,
      );
      return { object: patched, changed: true };
    } catch (error) {
      // The API server answers a failed test like an invalid object.
      if (!(error instanceof ApiError) || error.status !== 422 || tries === maxTries) throw error;
      const fresh = await client.get<WorkloadObject>(resource, where);
      if (JSON.stringify(fresh.spec?.template?.spec) === JSON.stringify(template.spec)) throw error;
      object = fresh;
    }
  }
}

async function warnIfMissing(
  { client, namespace }: Cluster,
  workload: WorkloadArgument,
  { kind, name }: ConfigArgument,
  warn: (text: string) => void,
): Promise<void> {
  const found = await getIfExists(
    client,
    configResources[kind],
    { namespace, name },
    { projection: 'metadata' },
  )
    // Mounting a config does not need the right to read it.
    .catch(() => true);
  if (found === undefined)
    warn(
      `${typedName({ kind, name })} does not exist; new pods of ${typedName(workload)} wait until it is created`,
    );
}
