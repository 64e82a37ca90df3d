import { configRollouts } from '../../api/config-rollout.ts';
import { reloadReports } from '../../api/reload-report.ts';
import { quoted } from '../messages/quoted.ts';
import type { ConfigKind } from '../references/references.ts';

/** A right that a call of the gateway needs from its caller, in the namespace of the config. */
export interface Need {
  verb: string;
  /** The core group is ''. */
  group: string;
  resource: string;
  /** When the call needs the right; always, when absent. */
  when?: string;
}

export interface CallNeeds {
  needs: readonly Need[];
  /** The ClusterRoles that grant all of them. */
  grantedBy: readonly string[];
}

export type Call =
  | 'readCurrent'
  | 'readVersion'
  | 'listVersions'
  | 'diffVersions'
  | 'createConfig'
  | 'addVersion'
  | 'editConfig'
  | 'activate'
  | 'deleteVersion';

const plurals = { ConfigMap: 'configmaps', Secret: 'secrets' } as const;

/** Every right that a caller needs. The reference, the OpenAPI document, the roles and each 403 come from this table. */
export function callerNeeds(kind: ConfigKind): Record<Call, CallNeeds> {
  const config = (verbs: readonly string[], when?: string) => rights('', plurals[kind], verbs, when);
  const rollouts = (verbs: readonly string[], when?: string) =>
    rights(configRollouts.group, configRollouts.plural, verbs, when);
  const workloads = (when: string) =>
    ['deployments', 'statefulsets', 'daemonsets'].flatMap((plural) => rights('apps', plural, ['list'], when));
  const read = { grantedBy: readers(kind) };
  const reads = [...rollouts(['get']), ...config(['get']), ...config(['list'], ifManaged)];
  const adds = [
    ...rollouts(['get']),
    ...config(['get', 'list', 'create', 'update']),
    ...rollouts(['create'], ifNew),
  ];
  const write = { grantedBy: writers(kind) };
  const purge = 'with purge';
  return {
    readCurrent: {
      needs: [
        ...config(['get']),
        ...rollouts(['get'], ifManaged),
        ...config(['list'], ifManaged),
        ...rollouts(['list', 'watch'], ifWatched),
        ...config(['list', 'watch'], ifWatched),
      ],
      ...read,
    },
    readVersion: { needs: reads, ...read },
    listVersions: {
      needs: [...rollouts(['get']), ...config(['list']), ...config(['get'], ifUnmanaged)],
      ...read,
    },
    diffVersions: { needs: reads, ...read },
    createConfig: {
      needs: [...adds, ...rollouts(['patch'], ifCreatedAgain)],
      ...write,
    },
    addVersion: { needs: adds, ...write },
    editConfig: {
      needs: [
        ...adds,
        ...config(['patch'], 'by PATCH outside of release mode Locked'),
        ...rollouts(['patch'], ifCreatedAgain),
      ],
      ...write,
    },
    activate: {
      needs: [
        ...rollouts(['get']),
        ...config(['get']),
        ...rollouts(['patch'], ifNotPlanned),
        ...config(['update'], ifNotPlanned),
        ...config(
          ['list'],
          'with dryRun or If-Match, or for a version that an earlier ConfigRollout created',
        ),
        ...rollouts(['list'], 'with dryRun, for a complete plan'),
        ...workloads('with dryRun, for a complete plan'),
        ...rights('', 'serviceaccounts', ['list'], 'with dryRun, for a complete plan'),
      ],
      ...write,
    },
    deleteVersion: {
      needs: [
        ...rollouts(['get', 'patch']),
        ...rollouts(['list'], purge),
        ...config(['get', 'list', 'update', 'delete']),
        ...config(['patch'], purge),
        ...rights('', 'pods', ['list'], purge),
        ...workloads(purge),
        ...['replicasets', 'controllerrevisions'].flatMap((plural) =>
          rights('apps', plural, ['list'], purge),
        ),
        ...['jobs', 'cronjobs'].flatMap((plural) => rights('batch', plural, ['list'], purge)),
        ...rights('', 'replicationcontrollers', ['list'], purge),
        ...rights(reloadReports.group, reloadReports.plural, ['list'], purge),
      ],
      grantedBy: ['edit'],
    },
  };
}

const ifManaged = 'of a managed config';
const ifUnmanaged = 'of an unmanaged config';
/** There, the watches of the gateway itself use the rights of the user, too. */
const ifWatched = 'for a watch through trimtab proxy';
const ifNew = 'of a new or unmanaged config';
const ifNotPlanned = 'without dryRun';
const ifCreatedAgain = 'to activate the version of a config that is created again';

/** `get`, `list` and `watch` on Secrets shows their values, so each kind has its own roles. */
function readers(kind: ConfigKind): string[] {
  return kind === 'Secret' ? ['trimtab-secret-reader', 'edit'] : ['trimtab-reader', 'view'];
}

function writers(kind: ConfigKind): string[] {
  return [kind === 'Secret' ? 'trimtab-secret-releaser' : 'trimtab-releaser', 'edit'];
}

function rights(group: string, resource: string, verbs: readonly string[], when?: string): Need[] {
  return verbs.map((verb) => ({ verb, group, resource, ...(when !== undefined && { when }) }));
}

/** `configrollouts.trimtab.dev`; the core group has no name. */
export function resourceText({ group, resource }: Pick<Need, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** The words of every missing right: `"get" on configrollouts.trimtab.dev in namespace "shop"`. */
export function missingText(need: Pick<Need, 'verb' | 'group' | 'resource'>, namespace: string): string {
  return `needs ${JSON.stringify(need.verb)} on ${resourceText(need)} in namespace ${quoted(namespace)}`;
}

/** `get, patch on configrollouts.trimtab.dev; with purge: list on pods` */
export function needsText(needs: readonly Need[]): string {
  const groups = Map.groupBy(needs, ({ when }) => when ?? '');
  return [...groups]
    .sort(([a], [b]) => Number(a !== '') - Number(b !== ''))
    .map(([when, own]) => {
      const byResource = Map.groupBy(own, resourceText);
      const byVerbs = Map.groupBy(byResource, ([, its]) => its.map(({ verb }) => verb).join(', '));
      const texts = [...byVerbs].map(
        ([verbs, resources]) => `${verbs} on ${resources.map(([resource]) => resource).join(', ')}`,
      );
      return `${when === '' ? '' : `${when}: `}${texts.join('; ')}`;
    })
    .join('; ');
}
