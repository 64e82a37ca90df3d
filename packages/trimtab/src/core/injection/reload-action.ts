import type { ReloadAction } from '../../api/injected-pod.ts';
import { parseHttpUrl, parseRequestTarget } from './request-target.ts';
import { handledSignal } from './signals.ts';

/** What is valid, for a message. */
export interface Unreadable {
  allowed: string;
}

const urlForm = 'an http or https URL without credentials';

/** One entry of `trimtab.dev/reload`: `signal:SIGUSR1`, `http:[METHOD ]URL`, `webhook:URL` or `pull`. */
export function parseReloadAction(text: string): ReloadAction | Unreadable {
  const [, form = text, value = ''] = /^([a-z]+):\s*(.*)$/s.exec(text) ?? [];
  switch (form) {
    case 'signal': {
      const signal = handledSignal(value);
      return signal === undefined
        ? {
            allowed:
              'the name of a signal that a program can handle, such as signal:SIGUSR1 or signal:SIGHUP',
          }
        : { by: 'signal', signal };
    }
    case 'http': {
      const target = parseRequestTarget(value, 'POST');
      return target === undefined
        ? { allowed: `a method and ${urlForm}, such as http:POST http://localhost:9090/-/reload` }
        : { by: 'http', ...target };
    }
    case 'webhook': {
      const url = parseHttpUrl(value);
      return url === undefined
        ? { allowed: `${urlForm}, such as webhook:http://localhost:8080/config-changed` }
        : { by: 'webhook', url };
    }
    case 'pull':
      if (text === 'pull') return { by: 'pull' };
  }
  return {
    allowed:
      'signal:SIGUSR1, http:POST http://localhost:9090/-/reload, webhook:http://localhost:8080/config-changed or pull',
  };
}

/** One entry of `trimtab.dev/verify`: `http:[METHOD ]URL`. */
export function parseVerifyRequest(text: string): { method: string; url: string } | Unreadable {
  const [, value = ''] = /^http:\s*(.*)$/s.exec(text) ?? [];
  return (
    parseRequestTarget(value, 'GET') ?? {
      allowed: `a method and ${urlForm}, such as http:GET http://localhost:8080/healthz`,
    }
  );
}
