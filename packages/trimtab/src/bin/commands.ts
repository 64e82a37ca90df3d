import type { CommandTable } from '@trimtab/kube/flags/run-command.ts';
import { clusterFlags } from '../cli/client-command.ts';

/** All commands of `trimtab`. Each one is imported when it runs. The reference and the completion use the same table. */
export const trimtabCommands: CommandTable = {
  name: 'trimtab',
  summary: 'Trimtab releases Kubernetes configuration the way Kubernetes releases code.',
  leadingFlags: clusterFlags,
  commands: {
    create: {
      section: 'Release',
      does: 'create a config, with a named version and an owner',
      table: {
        summary: 'Creates a config from files, folders or literals.',
        commands: {
          configmap: {
            does: 'create a ConfigMap',
            aliases: ['cm'],
            load: () => import('../cli/commands/create/configmap.ts'),
          },
          secret: {
            does: 'create a Secret',
            table: {
              summary: 'Creates a Secret.',
              commands: {
                generic: {
                  does: 'create a Secret from files, folders or literals',
                  load: () => import('../cli/commands/create/secret-generic.ts'),
                },
              },
            },
          },
        },
      },
    },
    'add-version': {
      section: 'Release',
      does: 'add a version to a config, and show how it differs from the current one',
      load: () => import('../cli/commands/add-version.ts'),
    },
    activate: {
      section: 'Release',
      does: 'make a version current, and show the rollout until its outcome is known',
      load: () => import('../cli/commands/activate.ts'),
    },
    rollback: {
      section: 'Release',
      does: 'make the version current that was current before',
      load: () => import('../cli/commands/rollback.ts'),
    },
    wait: {
      section: 'Release',
      does: 'wait until the last edit of configs is released or rolled back',
      load: () => import('../cli/commands/wait.ts'),
    },
    pause: {
      section: 'Release',
      does: 'pause the rollout of a config',
      load: () => import('../cli/commands/pause.ts'),
    },
    resume: {
      section: 'Release',
      does: 'resume a paused rollout',
      load: () => import('../cli/commands/resume.ts'),
    },
    abort: {
      section: 'Release',
      does: 'abort a rollout: all workloads get their previous versions back',
      load: () => import('../cli/commands/abort.ts'),
    },
    retry: {
      section: 'Release',
      does: 'try a version once more that was rolled back or aborted',
      load: () => import('../cli/commands/retry.ts'),
    },
    status: {
      section: 'Inspect',
      does: 'show what is current, what is being rolled out, and why something waits',
      load: () => import('../cli/commands/status.ts'),
    },
    versions: {
      section: 'Inspect',
      does: 'list the versions of a config',
      load: () => import('../cli/commands/versions.ts'),
    },
    diff: {
      section: 'Inspect',
      does: 'compare two versions of a config',
      load: () => import('../cli/commands/diff.ts'),
    },
    uses: {
      section: 'Inspect',
      does: 'list who uses a config, or the configs of a workload',
      load: () => import('../cli/commands/uses.ts'),
    },
    history: {
      section: 'Inspect',
      does: 'list the activations of a config',
      load: () => import('../cli/commands/history.ts'),
    },
    manage: {
      section: 'Manage',
      does: 'opt a workload in, with all or some of its configs',
      load: () => import('../cli/commands/manage.ts'),
    },
    unmanage: {
      section: 'Manage',
      does: 'end the management of a workload or a config',
      load: () => import('../cli/commands/unmanage.ts'),
    },
    adopt: {
      section: 'Manage',
      does: 'opt in all workloads of a namespace',
      load: () => import('../cli/commands/adopt.ts'),
    },
    pin: {
      section: 'Manage',
      does: 'keep a workload at the versions that it runs',
      load: () => import('../cli/commands/pin.ts'),
    },
    unpin: {
      section: 'Manage',
      does: 'have a pinned workload follow rollouts again',
      load: () => import('../cli/commands/unpin.ts'),
    },
    set: {
      section: 'Manage',
      does: 'link a config to a workload, or mount it',
      table: {
        summary: 'Links a config to a workload, or mounts it.',
        commands: {
          owner: {
            does: 'set the workload that owns a config',
            aliases: ['owner-ref', 'owner-reference'],
            load: () => import('../cli/commands/set/owner.ts'),
          },
          volume: {
            does: 'mount a config into the containers of a workload',
            load: () => import('../cli/commands/set/volume.ts'),
          },
        },
      },
    },
    kubectl: {
      section: 'Manage',
      does: 'run kubectl, with the commands `set owner`, `set volume` and `create configmap` of Trimtab',
      load: () => import('../cli/commands/kubectl.ts'),
    },
    delete: {
      section: 'Clean up',
      does: 'delete versions of a config',
      table: {
        summary: 'Deletes versions of a config. The config itself stays.',
        commands: {
          version: {
            does: 'delete one or several versions by name',
            load: () => import('../cli/commands/delete/version.ts'),
          },
          versions: {
            does: 'delete all versions that nothing needs',
            load: () => import('../cli/commands/delete/versions.ts'),
          },
        },
      },
    },
    purge: {
      section: 'Clean up',
      does: 'delete all versions that hold a leaked value',
      load: () => import('../cli/commands/purge.ts'),
    },
    inject: {
      section: 'Files',
      does: 'print objects with the agent in their pods, as the webhook creates them',
      load: () => import('./inject.ts'),
    },
    stamp: {
      section: 'Files',
      does: 'set configMapVersion in a file to a greater number, so that pods restart with a new config',
      load: () => import('../cli/commands/stamp.ts'),
    },
    manifests: {
      section: 'Programs',
      does: 'print the objects that a cluster needs before controller and gateway start',
      load: () => import('./manifests.ts'),
    },
    controller: {
      section: 'Programs',
      does: 'create a version for every edit of a managed config, and roll it out',
      load: async () => {
        const { program, run } = await import('./controller.ts');
        return { program, run: (argv) => run(argv) };
      },
    },
    gateway: {
      section: 'Programs',
      does: 'serve versions over HTTP, and forward all other requests to the API server',
      load: () => import('./gateway.ts'),
    },
    proxy: {
      section: 'Programs',
      does: 'run the gateway on your own machine, as the user of your kubeconfig',
      load: () => import('./proxy.ts'),
    },
    agent: {
      section: 'Programs',
      does: 'keep files equal to configs, and reload an application',
      load: () => import('./agent.ts'),
    },
    up: {
      section: 'Programs',
      does: 'run a local cluster with Trimtab and a demo (in a checkout only)',
      load: async () => (await import('./up.ts')).loadUp(),
    },
    local: {
      section: 'Programs',
      does: 'run parts of the local cluster: its API server, its store (in a checkout only)',
      load: () => import('./local.ts'),
    },
    completion: {
      section: 'Other',
      does: 'print the completion script of a shell',
      load: () => import('../cli/commands/completion.ts'),
    },
    __complete: {
      does: 'complete a command line',
      hidden: true,
      load: async () => (await import('./complete.ts')).completeCommand(trimtabCommands),
    },
    version: {
      section: 'Other',
      does: 'print the versions of this program and of the cluster',
      load: () => import('../cli/commands/version.ts'),
    },
  },
  footer:
    'TYPE/NAME is written as for kubectl: configmap/foo, cm/foo, secret/bar. A bare name is a ConfigMap.\n',
};
