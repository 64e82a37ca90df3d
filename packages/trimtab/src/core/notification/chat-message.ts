import { detailsCommand, type Outcome, outcomeText } from './outcome.ts';

/** Rows of a message: what a reader needs to decide whether to look further. */
function facts(outcome: Outcome, cluster: string | undefined): string[] {
  const { by, durationSeconds } = outcome;
  return [
    ...(cluster === undefined ? [] : [`Cluster: ${cluster}`]),
    ...(by === undefined ? [] : [`By: ${by}`]),
    ...(durationSeconds === undefined ? [] : [`Took: ${durationSeconds} s`]),
    `Details: ${detailsCommand(outcome)}`,
  ];
}

/** The body for an incoming web hook of Slack. Plain text, so that no name is read as a mention or a link. */
export function slackMessage(outcome: Outcome, cluster: string | undefined): object {
  const text = outcomeText(outcome);
  const plain = (words: string) => ({ type: 'plain_text', text: words.slice(0, 3_000), emoji: false });
  return {
    // Shown in notifications. Slack reads &, < and > in it as markup.
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'section', text: plain(`${icons[outcome.outcome]} ${text}`) },
      { type: 'context', elements: facts(outcome, cluster).map(plain) },
    ],
  };
}

/** The body for a web hook of Workflows in Microsoft Teams: an Adaptive Card. Text runs have no Markdown. */
export function teamsMessage(outcome: Outcome, cluster: string | undefined): object {
  const block = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(outcomeText(outcome), { weight: 'bolder', color: colors[outcome.outcome] }),
            ...facts(outcome, cluster).map((fact) => block(fact, { size: 'small' })),
          ],
        },
      },
    ],
  };
}

const icons: Record<Outcome['outcome'], string> = {
  current: '✅',
  'rolled-back': '↩️',
  aborted: '⏹️',
  'rollback-failed': '🚨',
  stalled: '⏸️',
};

const colors: Record<Outcome['outcome'], string> = {
  current: 'good',
  'rolled-back': 'attention',
  aborted: 'warning',
  'rollback-failed': 'attention',
  stalled: 'warning',
};
