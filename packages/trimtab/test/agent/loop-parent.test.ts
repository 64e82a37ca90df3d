import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  app,
  clock,
  config,
  folder,
  isAccepted,
  leaveFiles,
  messages,
  root,
  source,
  startAgent,
  until,
  untilFailed,
  untilLater,
  untilReady,
  untilTold,
  untilWell,
  useAgentStage,
  visible,
} from './support/agent-stage.ts';

useAgentStage();

describe('as the parent of the application', () => {
  /** Writes down the content that it finds at its start and at each SIGHUP. */
  const script = `trap 'echo "reloaded $(cat $1/config/app.conf)" >> $1/events' HUP
    echo "started $(cat $1/config/app.conf)" >> $1/events
    while :; do sleep 0.01; done`;
  const events = () =>
    existsSync(join(folder, 'events')) ? readFileSync(join(folder, 'events'), 'utf8').trim().split('\n') : [];
  const untilEvents = (...expected: string[]) =>
    until(`events ${expected}`, () => String(events()) === String(expected), events);
  const refusesBad = () => ['sh', '-c', '! grep -q bad "$0"', join(root, 'app.conf')];

  test('the agent starts it when the first set is there, and signals it for the next ones', async () => {
    const { agent, application } = startAgent({ script });
    source.show('missing');
    await clock.advance(60_000);
    expect(application?.isStarted).toBe(false);
    source.show(config('one'));
    await untilReady(agent);
    expect(application?.isStarted).toBe(true);
    await untilEvents('started one');
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('the agent starts it with the same files after a restart', async () => {
    leaveFiles('one');
    const { agent } = startAgent({ script });
    source.show(config('one'));
    await untilReady(agent);
    await untilEvents('started one');
  });

  test('a first set that --verify-exec refuses does not start it; the next one does', async () => {
    const { agent, application } = startAgent({ script, verifyExec: refusesBad() });
    source.show(config('bad'));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({ notReady: 'sh ended with exit code 1', isRestored: false });
    expect(application?.isStarted).toBe(false);
    source.show(config('one'));
    await untilReady(agent);
    await untilEvents('started one');
  });

  test('a first set that --verify-exec refuses starts it with the last good files', async () => {
    leaveFiles('one');
    const { agent } = startAgent({ script, verifyExec: refusesBad() });
    source.show(config('bad'));
    await untilReady(agent);
    await untilEvents('started one');
    expect(agent.state()).toMatchObject({ failure: 'sh ended with exit code 1', isRestored: true });
    expect(visible()).toBe('one');
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('an update that it cannot be told about is taken back, and tried again later', async () => {
    const slowly = `echo "started $(cat $1/config/app.conf)" >> $1/events
      until [ -e $1/handles ]; do sleep 0.01; done
      ${script}`;
    const { agent } = startAgent({ script: slowly });
    source.show(config('one'));
    await untilEvents('started one');
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('has no handler for SIGHUP, which would end it');
    await untilLater('the rejection', () =>
      messages().some((message) => /^config rejected/.test(`${message}`)),
    );
    expect(visible()).toBe('one');
    writeFileSync(join(folder, 'handles'), '');
    await untilWell(agent);
    expect([visible(), isAccepted()]).toEqual(['two', true]);
    await until('the reload', () => events().at(-1) === 'reloaded two', events);
  });

  test('without the API server the agent starts it with the files on disk', async () => {
    leaveFiles('one', 'two');
    const { agent, application } = startAgent({ script });
    await clock.advance(2_999);
    expect(application?.isStarted).toBe(false);
    await clock.advance(1);
    await untilReady(agent);
    await untilEvents('started one');
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('without the API server and with files that were never accepted the agent starts it as well', async () => {
    leaveFiles(undefined, 'one');
    const { agent } = startAgent({ script });
    await clock.advance(3_000);
    await untilReady(agent);
    await untilEvents('started one');
  });
});

describe('the agent ends', () => {
  test('after the first set with --once', async () => {
    const { running } = startAgent({ once: true });
    source.show(config('one'));
    await running;
    expect(visible()).toBe('one');
    expect(app.told).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('with its signal, and leaves no timer', async () => {
    const { agent, stop, running } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  test('without an error in the middle of a reload, and the next process tells the application', async () => {
    const { agent, stop, running } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    app.release = new Promise(() => {});
    source.show(config('two'));
    await untilTold('one', 'two');
    stop.abort();
    await running;
    expect(messages().some((message) => String(message).startsWith('config rejected'))).toBe(false);
    app.release = Promise.resolve();
    const next = startAgent();
    source.show(config('two'));
    await untilTold('one', 'two', 'two');
    await untilReady(next.agent);
    expect(visible()).toBe('two');
  });

  test('without an error in the middle of a check, and does not reject the set', async () => {
    const verifyExec = ['sh', '-c', 'grep -q one "$0" || { : > "$1"; sleep 1000; }'];
    const started = join(folder, 'started');
    const { agent, stop, running } = startAgent({
      verifyExec: [...verifyExec, join(root, 'app.conf'), started],
    });
    source.show(config('one'));
    await untilReady(agent);
    source.show(config('two'));
    await until('the check', () => existsSync(started));
    stop.abort();
    await running;
    expect(messages()).toEqual(['config applied']);
  });

  test('without an error while it waits for the application', async () => {
    await app.stop();
    const { stop, running } = startAgent();
    source.show(config('one'));
    await until('a wait between two attempts', () => existsSync(join(root, 'app.conf')) && clock.pending > 0);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  test('with what to do when the root cannot be used', async () => {
    writeFileSync(root, 'theirs');
    const { running } = startAgent();
    await expect(running).rejects.toThrow(
      `cannot write to ${root}: a file is in the place of a folder (EEXIST). Remove it, or choose another --configroot.`,
    );
  });
});
