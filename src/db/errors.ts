/** PostgreSQL's unique_violation. */
const postgresCode = '23505'
/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const sqliteCodes = [1555, 2067]

/** Whether our own database refused a row since there is one with its key: two requests made the same thing at once. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return code === postgresCode || sqliteCodes.includes(Number(errcode))
}
