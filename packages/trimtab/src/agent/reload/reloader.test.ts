import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { type Action, type Outcome, refused, succeeded, unreachable } from './outcome.ts';
import { Reloader, type ReloaderOptions } from './reloader.ts';

type Step = 'verify files' | 'verify application' | 'tell' | 'tell again';

const request = (isApplicationHealthy: boolean) => ({
  ...{ writtenAtTicks: 7, isApplicationHealthy, isReady: true, sources: [], previous: [] },
  signal: new AbortController().signal,
});

/** A reloader whose actions return the outcomes of a step one after the other, and succeed afterwards. */
function reloaderWith(outcomes: Partial<Record<Step, Outcome[]>>, options: Partial<ReloaderOptions> = {}) {
  const clock = new ManualClock();
  const steps: Step[] = [];
  const told: number[] = [];
  const action = (name: Step): Action => ({
    name,
    async run({ writtenAtTicks }) {
      steps.push(name);
      if (name.startsWith('tell')) told.push(writtenAtTicks);
      return outcomes[name]?.shift() ?? succeeded;
    },
  });
  const reloader = new Reloader({
    tell: [action('tell')],
    verifyFiles: action('verify files'),
    verifyApplication: action('verify application'),
    ...{ timeoutMs: 1_000, retries: 2, clock },
    ...options,
  });
  const reload = async (isApplicationHealthy = true) => {
    const result = reloader.reload(request(isApplicationHealthy));
    await clock.advance(60_000);
    return result;
  };
  return { reloader, reload, steps, told, action };
}

const all: Step[] = ['verify files', 'verify application', 'tell', 'verify files', 'verify application'];

describe('a reload', () => {
  test('checks the files and the application, tells the application, and checks both again', async () => {
    const { reload, steps, told } = reloaderWith({});
    expect(await reload()).toEqual({ outcome: succeeded, wasTold: true });
    expect(steps).toEqual(all);
    expect(told).toEqual([7]);
  });

  test('of an application that has no good files yet does not check it before', async () => {
    const { reload, steps } = reloaderWith({});
    await reload(false);
    expect(steps).toEqual(['verify files', 'tell', 'verify files', 'verify application']);
  });

  test('without checks only tells the application', async () => {
    const { action } = reloaderWith({});
    const bare = new Reloader({ tell: [action('tell')], timeoutMs: 1, retries: 0, clock: new ManualClock() });
    expect(await bare.reload(request(true))).toEqual({
      outcome: succeeded,
      wasTold: true,
    });
  });

  test('with several ways to tell uses them in order, and stops at the first that fails', async () => {
    const { action, steps, reloader, reload } = reloaderWith({ 'tell again': [refused('no')] });
    const last: Action = { name: 'last', run: () => Promise.reject(new Error('called')) };
    const tell = [action('tell'), action('tell again'), last];
    const several = new Reloader({ tell, timeoutMs: 1, retries: 0, clock: new ManualClock() });
    expect(await several.tell(request(true))).toEqual(refused('no'));
    expect(steps).toEqual(['tell', 'tell again']);
    expect(await reloader.tell(request(true))).toEqual(succeeded);
    expect((await reload()).wasTold).toBe(true);
  });
});

describe('a reload that fails', () => {
  test('by its files tells nobody, and is not repeated', async () => {
    const { reload, steps } = reloaderWith({ 'verify files': [refused('bad line')] });
    expect(await reload()).toEqual({ outcome: refused('bad line'), wasTold: false });
    expect(steps).toEqual(['verify files']);
  });

  test('because the application was unhealthy before says nothing about the files', async () => {
    const { reload, steps } = reloaderWith({ 'verify application': [refused('status 503')] });
    expect(await reload()).toEqual({ outcome: unreachable('status 503'), wasTold: false });
    expect(steps).toEqual(['verify files', 'verify application']);
  });

  test('because the application refuses is not repeated', async () => {
    const { reload, steps } = reloaderWith({ tell: [refused('status 500')] });
    expect(await reload()).toEqual({ outcome: refused('status 500'), wasTold: true });
    expect(steps).toEqual(all.slice(0, 3));
  });

  test('because the application does not answer is repeated', async () => {
    const away = unreachable('ECONNREFUSED');
    const { reload, steps } = reloaderWith({ tell: [away, away] });
    expect(await reload()).toEqual({ outcome: succeeded, wasTold: true });
    expect(steps.filter((step) => step === 'tell')).toHaveLength(3);
  });

  test('because the application never answers may have told it', async () => {
    const away = unreachable('ECONNREFUSED');
    const { reload, steps } = reloaderWith({ tell: [away, away, away] });
    expect(await reload()).toEqual({ outcome: away, wasTold: true });
    expect(steps).toEqual(['verify files', 'verify application', 'tell', 'tell', 'tell']);
  });

  test('because the files are bad afterwards has told the application', async () => {
    const { reload, steps } = reloaderWith({ 'verify files': [succeeded, refused('gone')] });
    expect(await reload()).toEqual({ outcome: refused('gone'), wasTold: true });
    expect(steps).toEqual(all.slice(0, 4));
  });

  test('because the application is unhealthy afterwards has told it', async () => {
    const { reload } = reloaderWith({ 'verify application': [succeeded, refused('status 503')] });
    expect(await reload()).toEqual({ outcome: refused('status 503'), wasTold: true });
  });

  test('because the application does not answer afterwards is checked again', async () => {
    const away = unreachable('ECONNREFUSED');
    const { reload } = reloaderWith({ 'verify application': [succeeded, away, away] });
    expect(await reload()).toEqual({ outcome: succeeded, wasTold: true });
  });
});
