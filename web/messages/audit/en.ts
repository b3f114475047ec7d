import { countingOf } from '../counting.ts'

const { count } = countingOf('en')

/** Texts of the audit log. */
export const en = {
  lead: 'Changes, sign-ins and refused administration, the newest first.',
  filters: 'Filters',
  user: 'User',
  action: 'Action',
  actionHint: 'user, sign-in, layer.change',
  resource: 'What',
  resourceHint: 'a layer, a workspace or a path',
  from: 'From (UTC)',
  to: 'To (UTC)',
  filter: 'Filter',
  clear: 'Clear the filters',
  csv: 'CSV',
  entries: 'Entries',
  time: 'Time',
  who: 'Who',
  what: 'What',
  address: 'From where',
  details: 'Details',
  before: 'Before',
  after: 'After',
  request: 'Request',
  exactTime: 'Exact time',
  server: 'the server',
  anonymous: 'anonymous',
  vias: {
    password: 'password',
    token: 'API token',
    oidc: 'OpenID Connect',
    ldap: 'LDAP',
    header: 'header of a proxy',
    system: 'server',
    none: 'no credentials',
  } as Record<string, string>,
  outcomes: { done: 'done', refused: 'refused', failed: 'failed' },
  none: 'No entries match these filters.',
  empty: 'There are no entries yet.',
  older: 'Older entries',
  newest: 'Newest entries',
  paging: 'Parts of the log',
  shown: (total: number) => count(total, 'entry', 'entries'),
  dropped: (total: number) =>
    `${count(total, 'entry was', 'entries were')} not stored since this server started: the log of the server has the reason.`,
  seals: 'Seals',
  sealsLead: 'Each day is sealed after its end. A check finds changed, missing and inserted entries.',
  verify: 'Check the seals',
  verifying: 'Checking all days…',
  intact: 'Intact',
  intactText: (days: number, entries: number) =>
    `${count(days, 'day', 'days')} with a seal, ${count(entries, 'entry', 'entries')} checked`,
  lastDay: (day: string) => `last sealed day ${day}`,
  noSeal: 'No day has a seal yet: the first one is made ten minutes after the end of the day (UTC).',
  broken: (total: number) => `${count(total, 'problem', 'problems')}: entries or seals were changed`,
}

export type AuditTexts = typeof en
