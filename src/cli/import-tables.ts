import type { Columns, Proposal } from '../geo/coordinate-columns.ts'
import { areSexagesimal, findColumn, haveCommas, proposeColumns } from '../geo/coordinate-columns.ts'
import type { PlannedTask, SessionContext } from './import-context.ts'
import type { ImportMode } from './import-options.ts'
import { hasGeometry } from './import-views.ts'
import type { RestRequests } from './rest-client.ts'
import { RestError, readField } from './rest-client.ts'
import type { TaskNote } from './task-outcome.ts'

const degrees = 'EPSG:4326'

/**
 * Creates points for data without geometry if columns are given, or a table if requested; reports tasks that
 * need input.
 */
export async function prepareTable(
  context: Pick<SessionContext, 'ask'>,
  planned: PlannedTask,
  mode: ImportMode,
): Promise<TaskNote['left']> {
  const { options, task } = planned
  if (options.coordinates !== undefined) return makePoints(planned, options.coordinates, options.srs)
  if (options.takesTables === true || (mode !== 'create' && (await isTable(planned))))
    return makeTable(planned)
  // For tables of a database without geometry `--srs` has always been sufficient.
  if (options.database !== undefined && options.srs !== undefined) return makeTable(planned)
  const proposal = proposeColumns(task.columns)
  const requested = await askForColumns(context, planned, proposal)
  if (requested === 'table') return makeTable(planned)
  if (requested !== undefined) return makePoints(planned, requested, options.srs ?? degrees)
  return { state: 'NO_GEOMETRY', message: adviceFor(proposal, options.srs) }
}

/** Creates points for the rows of a task from coordinate columns; returns what the user must still do. */
export async function makePoints(
  { client, path, task }: PlannedTask,
  columns: Columns,
  srs: string | undefined,
): Promise<TaskNote['left']> {
  const [lngField, latField] = [columns.x, columns.y].map((name) => findColumn(task.columns, name))
  if (lngField === undefined || latField === undefined) {
    const missing = lngField === undefined ? columns.x : columns.y
    const there = task.columns.map((one) => one.name).join(', ')
    return { state: 'NO_GEOMETRY', message: `There is no column "${missing}": there are ${there}` }
  }
  const [lng, lat] = [lngField, latField].map((name) => task.columns.find((one) => one.name === name))
  const read = [lng, lat].filter((column) => column !== undefined)
  const isSexagesimal = lng !== undefined && lat !== undefined && areSexagesimal(lng, lat)
  try {
    // Sends the chain first: with a CRS alone the task would become ready as a table.
    await client.post(`${path}/transforms`, {
      type: 'AttributesToPointGeometryTransform',
      latField,
      lngField,
      pointFieldName: freeName(task.columns.map((one) => one.name)),
      decimalComma: haveCommas(...read) ? true : undefined,
      sexagesimal: isSexagesimal || undefined,
    })
    await client.put(`${path}/layer`, { layer: { srs: srs ?? degrees } })
    return undefined
  } catch (error) {
    if (error instanceof RestError) return { state: 'NO_GEOMETRY', message: error.message }
    throw error
  }
}

/** Returns a geometry name that no column uses. */
function freeName(columns: string[]): string {
  const taken = new Set(columns.map((name) => name.toLowerCase()))
  let name = 'location'
  for (let number = 0; taken.has(name); number += 1) name = `location${number}`
  return name
}

/** Makes a task load rows without a geometry. Any CRS allows loading a table, which does not use it. */
export async function makeTable({ client, path, options }: PlannedTask): Promise<undefined> {
  await client.put(`${path}/layer`, { layer: { srs: options.srs ?? degrees } })
}

/** True if the target layer is a table already. */
async function isTable({ client, workspace, task }: PlannedTask): Promise<boolean> {
  const attributes = await layerAttributes(client, `${workspace}:${task.layer}`)
  return attributes !== undefined && !hasGeometry(attributes)
}

async function layerAttributes(client: RestRequests, name: string): Promise<unknown> {
  try {
    const response = await client.get(`/rest/layers/${encodeURIComponent(name)}`)
    return readField(readField(response, 'layer'), 'attributes')
  } catch (error) {
    if (error instanceof RestError && error.status === 404) return undefined
    throw error
  }
}

async function askForColumns(
  { ask }: Pick<SessionContext, 'ask'>,
  { task, options }: PlannedTask,
  proposal: Proposal | undefined,
): Promise<Columns | 'table' | undefined> {
  if (ask === undefined) return undefined
  const isUsable = proposal !== undefined && (proposal.isGeographic || options.srs !== undefined)
  const key = await ask(`${task.file} has no geometry.`, [
    ...(isUsable
      ? [
          {
            key: 'p',
            text: `make points of its columns ${proposal.x} and ${proposal.y} (${options.srs ?? degrees})`,
          },
        ]
      : []),
    { key: 't', text: 'load it as a table without geometry' },
    { key: 's', text: 'skip it' },
  ])
  return key === 'p' ? proposal : key === 't' ? 'table' : undefined
}

function adviceFor(proposal: Proposal | undefined, srs: string | undefined): string {
  const table = 'or load it as a table by --table-only'
  if (proposal === undefined)
    return `The data have no geometry: name columns with coordinates by --lat and --lon (or --x, --y and --srs), ${table}`
  const { x, y, isGeographic } = proposal
  const options = isGeographic
    ? `--lat ${quoted(y)} --lon ${quoted(x)}`
    : `--x ${quoted(x)} --y ${quoted(y)}${srs === undefined ? ' --srs EPSG:n' : ''}`
  return `The data have no geometry: make points by ${options}, ${table}`
}

/** Quotes a name for a shell. */
function quoted(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) && !name.startsWith('-')
    ? name
    : `'${name.replaceAll("'", "'\\''")}'`
}
