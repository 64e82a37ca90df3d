import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { Agent } from './agent.ts';
import { Application } from './application/application.ts';
import { ConfigRoot } from './files/config-root.ts';
import { composeFiles } from './files/file-set.ts';
import { agentMetrics } from './health/agent-metrics.ts';
import { livenessProblem } from './health/agent-state.ts';
import { execAction } from './reload/exec-action.ts';
import { httpAction } from './reload/http-action.ts';
import type { Action } from './reload/outcome.ts';
import { Reloader } from './reload/reloader.ts';
import { runWithRetries } from './reload/run-with-retries.ts';
import { signalAction } from './reload/signal-action.ts';
import type { Settings, Tell } from './settings.ts';
import { displayName } from './source/config.ts';
import { WatchedConfigs } from './source/watched-configs.ts';

interface AgentTimings {
  reloadTimeoutMs: number;
  retries: number;
  startTimeoutMs: number;
  /** 0 disables the check. */
  maxWatchFailureMs: number;
  graceMs: number;
}

export interface RunAgentOptions {
  settings: Settings;
  timings: AgentTimings;
  client: KubeClient;
  log: Logger;
  metrics: Registry;
  checks: HealthChecks;
  signal: AbortSignal;
  clock?: Clock;
  onStep?: (step: string) => void;
}

export interface RunningAgent {
  /** Resolves with the exit code of the program. */
  ended: Promise<number>;
  /** Forwards a signal to the application in parent mode. */
  forward(signal: NodeJS.Signals): void;
}

/** A probe of the kubelet waits one second by default. */
const appHealthTimeoutMs = 900;

export function startAgent(options: RunAgentOptions): RunningAgent {
  const { settings, timings, client, log, metrics, checks, signal, clock = systemClock } = options;
  const { configRoot, refs, rules, fileMode, once } = settings;
  const onStep = options.onStep && { onStep: options.onStep };
  const application =
    settings.command && new Application({ command: settings.command, log, clock, graceMs: timings.graceMs });
  const tell = settings.tell.flatMap((each) => actionOf(each, configRoot, application) ?? []);
  log.info(
    { configs: refs.map(displayName), configRoot, tell: tell.map(({ name }) => name) },
    'agent started',
  );
  const agent = new Agent({
    source: new WatchedConfigs({ client, refs, log, metrics, clock }),
    root: new ConfigRoot({ root: configRoot, fileMode, ...onStep }),
    configRoot,
    compose: (configs) => composeFiles(configs, rules),
    reloader: reloaderOf(options, tell, clock),
    once,
    startTimeoutMs: timings.startTimeoutMs,
    log,
    metrics: agentMetrics(metrics),
    clock,
    ...(application && { application }),
    ...onStep,
  });
  checks.addReadiness('config', () => agent.state().notReady);
  // After a failed reload the application still serves with the last good files, on every pod: it stays ready.
  checks.addLiveness(
    'reload',
    () => livenessProblem(agent.state(), 'standalone', timings.maxWatchFailureMs / 1000),
    { onlyLive: true },
  );
  const { appHealth } = settings;
  if (appHealth !== undefined) {
    const ask = httpAction({ url: appHealth, method: 'GET' });
    const limits = { clock, timeoutMs: appHealthTimeoutMs, retries: 0, signal };
    checks.addLiveness('application', async () => {
      const outcome = await runWithRetries(ask, 0, limits);
      return outcome.ok ? undefined : outcome.message;
    });
  }
  const finished = agent.run(signal).then(() => 0);
  return {
    ended: application === undefined ? finished : endOf(application, finished),
    forward: (name) => application?.forward(name),
  };
}

/** The application decides the exit code; only a failure of the agent itself ends the program before it. */
function endOf(application: Application, agent: Promise<number>): Promise<number> {
  const failed = agent.then(() => application.ended);
  return Promise.race([application.ended, failed]);
}

function reloaderOf({ settings, timings }: RunAgentOptions, tell: readonly Action[], clock: Clock): Reloader {
  const { verifyExec, verifyHttp, configRoot } = settings;
  return new Reloader({
    tell,
    timeoutMs: timings.reloadTimeoutMs,
    retries: timings.retries,
    clock,
    ...(verifyExec && { verifyFiles: execAction({ words: verifyExec, folder: configRoot }) }),
    ...(verifyHttp && { verifyApplication: httpAction({ url: verifyHttp, method: 'GET' }) }),
  });
}

function actionOf(tell: Tell, configRoot: string, application: Application | undefined): Action | undefined {
  switch (tell.by) {
    case 'http':
      return httpAction(tell);
    case 'exec':
      return execAction({ words: tell.words, folder: configRoot });
    case 'signal':
      return tell.to === 'application'
        ? application?.signalAction(tell.signal)
        : signalAction({ signal: tell.signal, selector: tell.to, configRoot });
  }
}
