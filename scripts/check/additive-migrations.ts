import type { SourceFile } from './imports.ts'

const migration = /^src\/core\/db\/migrations\/(\d{4})-[^/]*\.ts$/
/** Migrations from here on are additive: servers of the version before go on with the tables. */
const firstNumber = 35
/** Changes that a program of the version before does not survive. */
const removals: readonly [pattern: RegExp, what: string][] = [
  [/\.(?:dropTable|dropColumn|dropSchema|dropView)\(/, 'removes something'],
  [/\.(?:renameTo|renameColumn)\(/, 'renames something'],
  [/\.(?:setNotNull|setDataType)\(/, 'changes a column'],
  [/\b(?:drop|rename)\s+(?:table|column|to|view|schema)\b/i, 'removes or renames something'],
  [/\balter\s+column\b/i, 'changes a column'],
]
/** Says that the version before no longer uses what is removed. */
const reason = /\/\/ Unused since schema version \d+/

/**
 * Finds migrations that would break servers of the version before during a rolling upgrade: removals, renames, and new
 * columns that their inserts leave out but that may not be null. A removal one version later has the comment
 * `// Unused since schema version N`.
 *
 * @returns one message for each
 */
export function additiveProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files.flatMap(({ path, text }) => {
    const number = Number(migration.exec(path)?.[1] ?? 0)
    if (number < firstNumber || reason.test(text)) return []
    const broken = removals.filter(([pattern]) => pattern.test(text)).map(([, what]) => what)
    if (hasRequiredColumn(text)) broken.push('adds a column to a table that is not null and has no default')
    return broken.map(
      (what) => `${path} ${what}: servers of the version before would fail during a rolling upgrade`,
    )
  })
}

function hasRequiredColumn(text: string): boolean {
  const altered = text
    .split(/alterTable\(/)
    .slice(1)
    .map((one) => one.split('.execute(', 1)[0] ?? '')
  return altered.some((one) => /\.notNull\(\)/.test(one) && !/\.defaultTo\(/.test(one))
}
