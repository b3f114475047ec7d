/** A word that stays although the check of the language refuses it. */
export interface LanguageException {
  /** Start of the paths in which the word stays. */
  where: string
  what: string
  reason: string
}

const stored = 'key of a JSON document in the catalogue'
const inResponses = 'key of a task in the API'
const code = 'part of a published error or message code'
const record = 'title of an accepted decision record'

/** At most 100 entries. */
export const languageExceptions: readonly LanguageException[] = [
  ...['mended', 'mending', 'trial', 'laidBy', 'isMended', 'mendedAt', 'wish', 'wanted'].map((what) => ({
    where: 'src/importer/',
    what,
    reason: stored,
  })),
  { where: 'src/formats/reject-lines.ts', what: 'mendedAt', reason: 'key of a stored list of rejected rows' },
  ...[
    'src/api/rest/importer/',
    'src/cli/manage/imports.ts',
    'tests/',
    'web/pages/import/',
    'web/messages/',
  ].map((where) => ({ where, what: 'mended', reason: inResponses })),
  ...['src/api/rest/importer/', 'src/cli/manage/imports.ts', 'tests/', 'web/pages/import/'].map((where) => ({
    where,
    what: 'mending',
    reason: inResponses,
  })),
  { where: 'src/api/rest/importer/', what: 'trial', reason: stored },
  { where: 'src/render/cache/', what: 'asked', reason: 'column of the tile cache files' },
  {
    where: 'src/stores/postgis/compare/',
    what: 'asked',
    reason: 'key of the stored description of staged rows',
  },
  { where: 'src/importer/', what: 'rehearsal', reason: code },
  { where: 'src/api/rest/importer/dry-run.ts', what: 'rehearsal', reason: code },
  { where: 'src/importer/run/correct-task.ts', what: 'mend', reason: 'name of a stored job type' },
  ...['rehearsal', 'rehearsing', 'rehearse'].map((what) => ({
    where: 'src/core/db/migrations/0026-dry-runs.ts',
    what,
    reason: 'name before the migration',
  })),
  {
    where: 'tests/contract/dry-run-migration.test.ts',
    what: 'rehearsal',
    reason: 'name before the migration',
  },
  { where: 'docs/decisions/0071', what: 'are looked at', reason: record },
  { where: 'docs/decisions/0200', what: 'mended', reason: record },
  { where: 'src/cli/ask.ts', what: 'question', reason: 'function of node:readline' },
  { where: 'docs/decisions/0273', what: 'laid out for', reason: record },
  { where: 'docs/decisions/0273', what: 'are looked at', reason: record },
  { where: 'docs/decisions/0332', what: 'of ours', reason: record },
  { where: 'docs/decisions/0332', what: 'take turns', reason: record },
  { where: 'docs/decisions/0360', what: 'mended', reason: record },
  { where: 'docs/decisions/0520', what: 'of ours', reason: record },
]
