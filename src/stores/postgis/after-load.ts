import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { LoadHooks } from '../store.ts'
import { suffixedIdentifier } from './identifiers.ts'
import type { Connection } from './session.ts'
import type { TableFacts } from './table-facts.ts'
import type { TargetPlan } from './target-plan.ts'

const indexedSql = `
select exists (select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  where i.indrelid = $1 and a.attname = $2 and i.indpred is null) as indexed`

/** Creates requested indexes that the table lacks. */
export async function addIndexes(connection: Connection, facts: TableFacts, plan: TargetPlan): Promise<void> {
  const doing = 'building the indexes'
  for (const column of plan.indexes) {
    const { rows } = await connection.run<{ indexed: boolean }>(doing, indexedSql, [facts.oid, column])
    if (rows[0]?.indexed) continue
    const name = quoteIdentifier(suffixedIdentifier(facts.name, `_${column}_idx`))
    const table = quoteTable(facts.schema, facts.name)
    await connection.run(doing, `create index ${name} on ${table} (${quoteIdentifier(column)})`)
  }
}

/** Updates statistics after the commit; a failure does not fail the load. */
export async function analyzeTable(
  connection: Connection,
  facts: TableFacts,
  hooks: LoadHooks,
): Promise<void> {
  try {
    await connection.run('analysing', `analyze ${quoteTable(facts.schema, facts.name)}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `Statistics of "${facts.name}" were not refreshed: ${reason}`
    hooks.onMessage({ level: 'warning', code: 'not-analyzed', message })
  }
}
