import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Injection, isFaultKind, type Match } from './faults.ts';
import type { RuleReport } from './report.ts';

export type WatchBreak = 'cut' | 'end' | 'expire';

/** The operations of a running proxy, available in its own process and under `/fault-proxy/`. */
export interface ProxyControl {
  inject(injection: Injection): { id: number };
  retire(id: number): void;
  release(): void;
  breakWatches(how: WatchBreak, when?: Match): Promise<number>;
  report(): RuleReport[];
}

export const controlPrefix = '/fault-proxy/';

/**
 * Serves the control paths of the proxy, for a test in another process:
 * `POST rules` (an Injection), `GET rules` (the report), `DELETE rules/ID`, `POST release`,
 * `POST watches` ({ how, when }).
 */
export async function serveControl(
  control: ProxyControl,
  incoming: IncomingMessage,
  client: ServerResponse,
): Promise<void> {
  const [what, id] = (incoming.url ?? '').slice(controlPrefix.length).split('/');
  const answer = (await answerTo(control, `${incoming.method} ${what}`, Number(id), incoming)) ?? {
    error: `the fault proxy does not support ${incoming.method} ${incoming.url}`,
  };
  client.writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' });
  client.end(JSON.stringify(answer));
}

async function answerTo(
  control: ProxyControl,
  call: string,
  id: number,
  incoming: IncomingMessage,
): Promise<object | undefined> {
  switch (call) {
    case 'POST rules':
      return inject(control, await json<Injection>(incoming));
    case 'GET rules':
      return control.report();
    case 'DELETE rules':
      control.retire(id);
      return {};
    case 'POST release':
      control.release();
      return {};
    case 'POST watches': {
      const { how, when } = await json<{ how: WatchBreak; when?: Match }>(incoming);
      return { broken: await control.breakWatches(how, when) };
    }
    default:
      return undefined;
  }
}

function inject(control: ProxyControl, injection: Injection): object {
  const { kind } = injection.fault;
  return isFaultKind(kind) ? { id: control.inject(injection).id } : { error: `unknown fault '${kind}'` };
}

async function json<T>(incoming: IncomingMessage): Promise<T> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}
