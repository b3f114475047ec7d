import type { Answer } from './ask.ts'
import type { PlannedTask, SessionContext } from './import-context.ts'
import { listOf, readField, readString } from './rest-client.ts'
import type { TaskNote } from './task-outcome.ts'

/** Columns that the server proposes, with the evidence. */
interface KeysView {
  keys: string[]
  evidence: string
}

const maxShown = 3
/** The server reads all rows of both sides; each request waits up to a minute. */
const maxQueries = 10

/** Sets the key columns of an upsert if none are given: as the user chooses, or reports usable ones. */
export async function prepareKeys(
  { ask }: Pick<SessionContext, 'ask'>,
  { client, path, task, workspace }: PlannedTask,
): Promise<TaskNote['left']> {
  const found = await findKeys(client, path)
  const name = `${workspace}:${task.layer}`
  if (ask !== undefined && found.length > 0) {
    const chosen =
      found[Number(await ask(`By which columns are rows of ${name} the same?`, answersFor(found))) - 1]
    if (chosen === undefined) return { state: 'NO_KEYS', message: `Layer ${name} stays as it was` }
    await client.put(path, { task: { keys: chosen.keys } })
    return undefined
  }
  return { state: 'NO_KEYS', message: adviceFor(found) }
}

async function findKeys(client: PlannedTask['client'], path: string): Promise<KeysView[]> {
  for (let query = 1; query <= maxQueries; query += 1) {
    const response = await client.get(`${path}/proposals?wait=60`)
    if (readField(response, 'whole') !== true) continue
    return listOf(response, 'proposals')
      .filter((one) => readString(one, 'kind') === 'keys')
      .map((one) => ({ keys: listOf(one, 'keys').map(String), evidence: readString(one, 'evidence') }))
  }
  return []
}

function answersFor(found: KeysView[]): Answer[] {
  const proposed = found
    .slice(0, maxShown)
    .map(({ keys, evidence }, at) => ({ key: String(at + 1), text: `${keys.join(', ')}: ${evidence}` }))
  return [...proposed, { key: 's', text: 'skip it' }]
}

function adviceFor([first, ...others]: KeysView[]): string {
  const need = 'An upsert needs the columns by which rows are the same: name them by --keys'
  if (first === undefined)
    return `${need}. No column, and no two of them, is unique and never empty in the data and in a layer of that name`
  const also = others.slice(0, maxShown - 1).map(({ keys }) => `--keys ${keys.join(',')}`)
  const beside = also.length === 0 ? '' : `. Alternatives: ${also.join(', or ')}`
  return `${need}. --keys ${first.keys.join(',')} can be used: ${first.evidence}${beside}`
}
