import { describe, expect, test } from 'vitest';
import { type Attempt, type Move, nextMove } from './next-move.ts';

type Row = [what: string, during: 'sync' | 'follow', attempt: Attempt, move: Move];

const table: Row[] = [
  ['a list succeeded', 'sync', { ended: 'synced' }, { next: 'resume', wait: 'none' }],
  [
    'the server ended a stream in due time',
    'follow',
    { ended: 'by-server', progressed: false, livedMs: 300_000 },
    { next: 'resume', wait: 'none' },
  ],
  [
    'the server ended a short stream that brought news',
    'follow',
    { ended: 'by-server', progressed: true, livedMs: 5 },
    { next: 'resume', wait: 'none' },
  ],
  [
    'the server ends streams as soon as they are open',
    'follow',
    { ended: 'by-server', progressed: false, livedMs: 5 },
    { next: 'resume', wait: 'failure', code: 'ended-early' },
  ],
  [
    'the initial events did not end',
    'sync',
    { ended: 'by-server', progressed: false, livedMs: 5_000 },
    { next: 'relist', cause: 'sync-failed', wait: 'failure', code: 'ended-early' },
  ],
  [
    'somebody asked for a refresh',
    'follow',
    { ended: 'by-us', cause: 'asked' },
    { next: 'relist', cause: 'asked', wait: 'none' },
  ],
  [
    'it is time to look whether we missed something',
    'follow',
    { ended: 'by-us', cause: 'periodic' },
    { next: 'relist', cause: 'periodic', wait: 'none' },
  ],
  ['a stream fell silent', 'follow', { ended: 'by-us', cause: 'silent' }, { next: 'resume', wait: 'none' }],
  [
    'the initial events fell silent',
    'sync',
    { ended: 'by-us', cause: 'silent' },
    { next: 'relist', cause: 'sync-failed', wait: 'failure', code: 'silent' },
  ],
  [
    'the stream lies',
    'follow',
    { ended: 'untrusted', cause: 'out-of-order' },
    { next: 'relist', cause: 'out-of-order', wait: 'distrust', code: 'out-of-order' },
  ],
  [
    'the history is compacted',
    'follow',
    { ended: 'gone' },
    { next: 'relist', cause: 'gone', wait: 'failure', code: '410' },
  ],
  [
    'the server serves no initial events',
    'sync',
    { ended: 'watch-list-refused' },
    { next: 'relist', cause: 'initial-events', wait: 'none' },
  ],
  [
    'the connection broke',
    'follow',
    { ended: 'failed', code: 'ECONNRESET' },
    { next: 'resume', wait: 'failure', code: 'ECONNRESET' },
  ],
  [
    'we may not watch',
    'follow',
    { ended: 'failed', code: '403' },
    { next: 'resume', wait: 'failure', code: '403' },
  ],
  [
    'the server cannot make sense of where we resume',
    'follow',
    { ended: 'failed', code: '400' },
    { next: 'relist', cause: 'refused', wait: 'failure', code: '400' },
  ],
  [
    'a list failed',
    'sync',
    { ended: 'failed', code: '503' },
    { next: 'relist', cause: 'sync-failed', wait: 'failure', code: '503' },
  ],
];

describe('what to do next when', () => {
  test.each(table)('%s (%s)', (_, during, attempt, move) => {
    expect(nextMove(during, attempt)).toEqual(move);
  });
});
