import type { ReloadAction } from '../../api/injected-pod.ts';
import { annotations } from '../../api/names.ts';
import { parseRestart } from '../workload/opt-in.ts';
import { invalidAnnotation } from './invalid-annotation.ts';
import { type PerContainer, parsePerContainer } from './per-container.ts';
import { parseReloadAction, parseVerifyRequest } from './reload-action.ts';
import type { RequestTarget } from './request-target.ts';

/** The annotations of a pod about reloading, with defaults. */
export interface ReloadSettings {
  /** `reload` for `trimtab.dev/restart: "false"`. */
  restart: 'recycle' | 'reload';
  port: number;
  reload: PerContainer<ReloadAction>;
  verify: PerContainer<RequestTarget>;
  tokenEnv: boolean;
}

const defaultPort = 9001;
const defaultReload = 'signal:SIGUSR1';

/**
 * Parses the annotations of a pod, a pod template or a workload. `containers` are the names of the containers that keep
 * running. With problems, the settings have defaults in place of the values that are not valid.
 */
export function parseReloadAnnotations(
  all: Record<string, string> | undefined,
  containers: readonly string[],
): { settings: ReloadSettings; problems: string[] } {
  const problems: string[] = [];
  const restart = parseRestart(all);
  if ('problem' in restart) problems.push(restart.problem);
  const reload = parsePerContainer({
    annotation: annotations.reload,
    text: all?.[annotations.reload]?.trim() ?? defaultReload,
    containers,
    parse: parseReloadAction,
  });
  const verifyText = all?.[annotations.verify]?.trim();
  const verify =
    verifyText === undefined
      ? { value: { each: [] }, problems: [] }
      : parsePerContainer({
          annotation: annotations.verify,
          text: verifyText,
          containers,
          parse: parseVerifyRequest,
        });
  problems.push(...reload.problems, ...verify.problems);
  const settings: ReloadSettings = {
    restart: 'value' in restart ? restart.value : 'reload',
    port: parsePort(all?.[annotations.configPort]?.trim(), problems),
    reload: reload.value,
    verify: verify.value,
    tokenEnv: parseTokenEnv(all?.[annotations.tokenEnv]?.trim(), problems),
  };
  return { settings, problems };
}

function parsePort(text: string | undefined, problems: string[]): number {
  if (text === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  problems.push(invalidAnnotation(annotations.configPort, text, 'a port from 1 to 65535, such as "9002"'));
  return defaultPort;
}

function parseTokenEnv(text: string | undefined, problems: string[]): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    problems.push(invalidAnnotation(annotations.tokenEnv, text, '"true" or "false"'));
  return text === 'true';
}
