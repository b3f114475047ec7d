import { sql } from 'kysely'
import type { Database } from '../../../core/db/connection.ts'
import type { Severity } from '../../model/records.ts'
import type { Comparison } from '../comparisons/comparison.ts'
import { maxTimeout } from '../comparisons/max-timeout.ts'
import { maxValue } from '../comparisons/max-value.ts'
import { minValue } from '../comparisons/min-value.ts'
import type { DefinitionBounds, NewCheck, NewDefinition } from '../model/model.ts'
import { insertCheck, isNameTaken } from './check-repository.ts'

const marker = 'shipped-checks'
const graceSeconds = 600

const anyScope: DefinitionBounds = {
  min: 0,
  max: null,
  steps: null,
  usesService: true,
  usesResource: true,
  usesLabel: false,
  usesOwsService: true,
}
const hostScope: DefinitionBounds = { ...anyScope, max: 100, usesResource: false, usesOwsService: false }

function definition(
  field: [metric: string, comparison: Comparison, description: string],
  bounds: DefinitionBounds,
  value: number,
): NewDefinition {
  const [metric, { name: option }, description] = field
  return { metric, option, description, bounds, threshold: { value } }
}

function check(
  name: string,
  description: string,
  severity: Severity,
  windowSeconds: number,
  definitions: NewDefinition[],
): NewCheck {
  return { name, description, severity, isActive: true, graceSeconds, windowSeconds, definitions }
}

/** Default checks of a new server. */
const shippedChecks: readonly NewCheck[] = [
  {
    ...check('No requests are handled', 'Tells when requests stay away or are not answered', 'error', 60, [
      definition(
        ['request.count', minValue, 'Number of handled requests is lower than'],
        { ...anyScope, max: 10, steps: 10 },
        1,
      ),
      definition(
        ['request.count', maxTimeout, 'No request was handled for at least'],
        { ...anyScope, min: 60 },
        120,
      ),
    ]),
    isActive: false,
  },
  check('Responses are slow', 'Tells when requests take long, on average', 'warning', 300, [
    definition(
      ['response.time', maxValue, 'Response time is higher than'],
      { ...anyScope, min: 1, max: 600_000 },
      5000,
    ),
  ]),
  check('Errors', 'Tells when requests fail', 'error', 300, [
    definition(['response.error.count', maxValue, 'Number of errors is higher than'], anyScope, 5),
  ]),
  check('Disk is nearly full', 'Tells when little room is left on a disk', 'warning', 300, [
    definition(
      ['storage.usage.percent', maxValue, 'Storage in use is more than'],
      { ...hostScope, usesLabel: true },
      90,
    ),
  ]),
  check('Memory is nearly full', 'Tells when little memory is left', 'warning', 300, [
    definition(['mem.usage.percent', maxValue, 'Memory in use is more than'], hostScope, 90),
  ]),
]

/** Creates the default checks at the first start only: a deleted one is not created again. */
export async function createShippedChecks(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    const known = await transaction
      .selectFrom('settings')
      .select('name')
      .where('name', '=', marker)
      .executeTakeFirst()
    if (known !== undefined) return
    for (const one of shippedChecks)
      if (!(await isNameTaken(transaction, one.name))) await insertCheck(transaction, one)
    await sql`insert into settings (name, value) values (${marker}, 'created')`.execute(transaction)
  })
}
