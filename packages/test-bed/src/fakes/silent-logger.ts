import type { Logger } from '@trimtab/kube/log/log.ts';
import { pino } from 'pino';

/** For code under test that wants a log which nobody reads. */
export const silentLogger: Logger = pino({ level: 'silent' });
