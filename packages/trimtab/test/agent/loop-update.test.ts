import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  app,
  clock,
  config,
  isAccepted,
  logged,
  messages,
  ref,
  root,
  type Setup,
  source,
  startAgent,
  ticks,
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

describe('an update', () => {
  /** An agent whose application runs with the content `one`. */
  async function startWithOne(setup?: Setup) {
    const started = startAgent(setup);
    source.show(config('one'));
    await untilReady(started.agent);
    return started;
  }

  const refusesBad = ['sh', '-c', 'echo "in $0:"; cat "$0"; ! grep -q bad "$0"'];

  test('that --verify-exec refuses is taken back, and the application is not told', async () => {
    const { agent, registry } = await startWithOne({ verifyExec: [...refusesBad, join(root, 'app.conf')] });
    source.show(config('bad', { new: 'key' }));
    await untilFailed(agent);
    await until('the old files', () =>
      messages().includes('config rejected; the last good files are in place'),
    );
    expect(agent.state()).toEqual({
      notReady: undefined,
      failure: 'sh ended with exit code 1',
      isRestored: true,
      interruption: undefined,
    });
    expect(visible()).toBe('one');
    expect(existsSync(join(root, 'new'))).toBe(false);
    expect(app.told).toEqual(['one']);
    expect(registry.render()).toContain('trimtab_agent_last_reload_successful 0');
    expect(logged.at(-1)).toMatchObject({
      reason: 'sh ended with exit code 1',
      output: expect.stringMatching(/bad$/),
    });
    source.show(config('two'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('that the application refuses is taken back, and the application is told again', async () => {
    const { agent } = await startWithOne();
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one');
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      failure: expect.stringContaining('the response has status 500'),
      isRestored: true,
    });
    expect(visible()).toBe('one');
    expect(isAccepted()).toBe(true);
    // A process that started after the files were written may have read those that were taken back.
    expect(ticks).toEqual([expect.any(Number), expect.any(Number), Number.POSITIVE_INFINITY]);
    expect(ticks.slice(0, 2).every(Number.isFinite)).toBe(true);
  });

  test('that was refused is not tried again, unless the configs change in between', async () => {
    const { agent } = await startWithOne();
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one');
    source.show(config('bad'));
    await clock.advance(3_600_000);
    source.show(config('one'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'bad', 'one']);
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one', 'bad', 'one');
    await untilFailed(agent);
  });

  test('to the content that the application has clears a failure, and tells nobody', async () => {
    const { agent, registry } = await startWithOne();
    source.show(config('bad'));
    await untilFailed(agent);
    await until('the old files', () => visible() === 'one');
    const again = config('one');
    source.show(again);
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'bad', 'one']);
    expect(registry.render()).toContain(`resource_version="${again.resourceVersion}"} 1`);
  });

  test('while the application does not answer is taken back and tried again later', async () => {
    const { agent } = await startWithOne();
    await app.stop();
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('ECONNREFUSED');
    await untilLater('the old files', () =>
      logged.some(({ msg }) => String(msg).startsWith('config rejected')),
    );
    expect(visible()).toBe('one');
    expect(agent.state()).toMatchObject({ notReady: undefined, isRestored: false });
    await app.start();
    await untilWell(agent);
    expect(app.told.at(-1)).toBe('two');
    expect([visible(), isAccepted()]).toEqual(['two', true]);
  });

  test('that is edited back while the application does not answer tells it all the same', async () => {
    const { agent } = await startWithOne();
    await app.stop();
    source.show(config('two'));
    await untilLater('the rejection', () =>
      logged.some(({ msg }) => String(msg).startsWith('config rejected')),
    );
    await app.start();
    source.show(config('one'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'one']);
  });

  test('to an application that is unhealthy before is taken back, and tried again later', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    app.health = 503;
    source.show(config('two'));
    await untilFailed(agent);
    expect(app.told).toEqual(['one']);
    expect(visible()).toBe('one');
    app.health = 200;
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('that repairs an unhealthy application is applied at the second attempt', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    app.health = 503;
    source.show(config('repair'));
    await untilFailed(agent);
    expect(app.told).toEqual(['one']);
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'repair']);
    expect(isAccepted()).toBe(true);
  });

  test('that makes the application unhealthy is taken back, and the application is told again', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('two'));
    await untilTold('one', 'two');
    app.health = 500;
    held.resolve();
    await untilTold('one', 'two', 'one');
    await untilFailed(agent);
    expect(visible()).toBe('one');
  });

  test('that cannot be written leaves the old files, and is tried again', async () => {
    const { agent } = await startWithOne();
    writeFileSync(join(root, 'new'), 'theirs');
    source.show(config('two', { new: 'key' }));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      notReady: undefined,
      failure: expect.stringContaining('new exists and was not written by the agent. Move it away'),
    });
    expect([visible(), visible('new')]).toEqual(['one', 'theirs']);
    await clock.advance(120_000);
    rmSync(join(root, 'new'));
    await untilWell(agent);
    expect([visible(), visible('new')]).toEqual(['two', 'key']);
    expect(app.told).toEqual(['one', 'two']);
    expect(messages().filter((message) => message === 'config could not be written; retrying')).toHaveLength(
      1,
    );
  });

  test('whose acceptance cannot be recorded on a full disk is tried again', async () => {
    let isFull = false;
    const onFileStep = (step: string) => {
      if (isFull && step === 'prepare ..good')
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    };
    const { agent } = await startWithOne({ onFileStep });
    isFull = true;
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('no space is left');
    expect(visible()).toBe('two');
    isFull = false;
    await untilWell(agent);
    expect(isAccepted()).toBe(true);
  });

  test('with a key that cannot be a file is reported, and the files stay', async () => {
    const { agent } = await startWithOne();
    source.show(config('two', { '..data': 'x' }));
    await untilFailed(agent);
    expect(agent.state().failure).toContain("the path '..data' begins with '..'");
    expect(visible()).toBe('one');
    source.show(config('two'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('of ten changes during a slow reload applies the last one, and reloads never overlap', async () => {
    const { agent } = await startWithOne();
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('two'));
    await untilTold('one', 'two');
    for (let i = 0; i < 10; i++) {
      source.show(config(`change ${i}`));
      await clock.advance(10);
    }
    expect(visible()).toBe('two');
    held.resolve();
    await untilTold('one', 'two', 'change 9');
    await untilWell(agent);
    expect(app.mostAtOnce).toBe(1);
    expect(visible()).toBe('change 9');
  });

  test('that replaces one which was just refused is applied at once', async () => {
    await startWithOne();
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('bad'));
    await untilTold('one', 'bad');
    source.show(config('two'));
    held.resolve();
    await untilTold('one', 'bad', 'one', 'two');
  });
});

describe('the output of a command or a response', () => {
  const secret = { ...ref, kind: 'Secret' } as const;

  test.each([
    ['is logged when all configs are ConfigMaps', ref, "cannot parse 'bad s3cret'"],
    ['is not logged when one config is a Secret', secret, '[not shown: one of the configs is a Secret]'],
  ])('%s', async (_, of, output) => {
    const { agent } = startAgent();
    source.show(config('one', {}, of), config('one', {}, ref));
    await untilReady(agent);
    source.show(config('one', {}, of), config('bad s3cret', {}, of));
    await untilTold('one', 'bad s3cret', 'one');
    await until('the log', () => messages().includes('config rejected; the last good files are in place'));
    expect(logged.at(-1)).toMatchObject({ level: 'error', output });
    expect(JSON.stringify(logged).includes('s3cret')).toBe(of === ref);
    expect(JSON.stringify(agent.state())).not.toContain('s3cret');
  });
});
