import { Failure, invalid } from '../../core/errors/errors.ts'
import type { TableDescription } from '../../stores/index.ts'
import { TransformError } from '../../transforms/index.ts'
import type { TaskRecord } from '../model/model.ts'
import { finalSchema } from '../model/model.ts'

/** Returns the table that the rows of a task would be loaded into. */
type FindTarget = (task: TaskRecord) => Promise<TableDescription | undefined>

/**
 * Throws `Failure` (`invalid-keys`) if the keys of an `UPSERT` name a column that its data or its target
 * lack. Does nothing while one of the two is unknown or unreachable: the run reports the error then.
 */
export async function requireKnownKeys(task: TaskRecord, findTarget: FindTarget): Promise<void> {
  const { updateMode, keys = [], source, state } = task
  if (updateMode !== 'UPSERT' || keys.length === 0 || source === undefined || state === 'COMPLETE') return
  const data = attributeNames(task)
  if (data === undefined) return
  requireIn(keys, data, 'the data have', isLike)
  const table = await findTarget(task).catch(unlessUnavailable)
  if (table === undefined) return
  const { primaryKey, schema, name } = table
  const columns = schema.attributes.map((attribute) => attribute.name)
  const known = primaryKey === undefined || columns.includes(primaryKey) ? columns : [primaryKey, ...columns]
  requireIn(keys, known, `the table "${name}" has`, (key, column) => fold(key) === fold(column))
}

/** Returns names of the attributes at the end of the chain; undefined if the chain does not fit. */
function attributeNames(task: TaskRecord): string[] | undefined {
  try {
    return finalSchema(task).attributes.map(({ name }) => name)
  } catch (error) {
    if (error instanceof TransformError) return undefined
    throw error
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (error instanceof Failure && error.kind === 'unavailable') return undefined
  throw error
}

const maxNamed = 20

function requireIn(
  keys: readonly string[],
  names: readonly string[],
  who: string,
  isSame: (key: string, name: string) => boolean,
): void {
  const missing = keys.find((key) => !names.some((name) => isSame(key, name)))
  if (missing === undefined) return
  const shown = names.slice(0, maxNamed).map((name) => `"${name}"`)
  if (names.length > maxNamed) shown.push(`${names.length - maxNamed} more`)
  const there = shown.length === 0 ? 'no columns' : `the columns ${shown.join(', ')}`
  throw invalid(
    'invalid-keys',
    `Rows cannot be matched by "${missing}": ${who} no such column. Existing columns: ${there}`,
  )
}

/**
 * True if a table column can be the stored form of an attribute: stores replace blanks, truncate names and
 * number duplicates.
 */
function isLike(key: string, name: string): boolean {
  const [one, other] = [fold(key), fold(name)]
  return one === other || one.replace(/_\d+$/, '') === other || (one.length >= 10 && other.startsWith(one))
}

function fold(name: string): string {
  return name.normalize('NFC').trim().toLowerCase().replace(/\s/gu, '_')
}
