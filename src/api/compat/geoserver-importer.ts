// Differences of the `geoserver` dialect from the importer API: docs/importer-contract.md, "Around it", "the dialect of older systems".
import type { Dialect } from '../../core/config/settings.ts'
import { Failure } from '../../core/errors/errors.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { identityAttribute } from '../../geo/schema.ts'
import type { ImportState, TaskRecord } from '../../importer/index.ts'
import { type LoadMode, loadModes, updateModes } from '../../stores/index.ts'

/** GeoServer's names of the raster transformations (docs/importer-contract.md, "Transformations"). */
const transformNames: Record<string, string> = {
  RasterTranslateTransform: 'GdalTranslateTransform',
  RasterWarpTransform: 'GdalWarpTransform',
  RasterOverviewTransform: 'GdalAddoTransform',
}
const currentTransformNames = new Map(
  Object.entries(transformNames).map(([name, other]): [string, string] => [other.toLowerCase(), name]),
)

/** Returns the current name of a transformation that has GeoServer's name, in any letter case. Both dialects accept it. */
export function findCurrentTransformName(name: string): string | undefined {
  return currentTransformNames.get(name.toLowerCase())
}

/** Returns the name of a transformation in responses. */
export function toTransformName(name: string, dialect: Dialect): string {
  return dialect === 'geoserver' ? (ownValue(transformNames, name) ?? name) : name
}

/** Returns the id of a transformation in responses and paths: in the dialect its position in the chain. */
export function toTransformId(id: number, index: number, dialect: Dialect): number {
  return dialect === 'geoserver' ? index : id
}

/** Returns the response with a list of transformations: in the dialect as the chain of a task. */
export function toTransformListResponse({ kind }: TaskRecord, transforms: object[], dialect: Dialect) {
  return dialect === 'geoserver' ? { transformChain: { type: kind ?? 'vector', transforms } } : { transforms }
}

/** Returns the state of an import in responses: in the dialect READY is PENDING. */
export function toStateResponse(state: ImportState, dialect: Dialect): string {
  return dialect === 'geoserver' && state === 'READY' ? 'PENDING' : state
}

/** Returns the states that a query for `states` finds. */
export function storedStates(states: ImportState[], dialect: Dialect): ImportState[] {
  return dialect === 'geoserver' && states.includes('PENDING') ? [...states, 'READY'] : states
}

/** True if a run creates the import if it does not exist. */
export function createsMissingImport(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}

/** True if a run that failed because there is nothing to load is answered as a success. */
export function isEmptyRun(error: unknown, dialect: Dialect): boolean {
  return (
    dialect === 'geoserver' && error instanceof Failure && ['nothing-to-run', 'no-tasks'].includes(error.code)
  )
}

/** Returns the status of a response in the contract, or in the dialect. */
export function statusOf({ dialect }: { dialect: Dialect }, contract: number, geoserver: number): number {
  return dialect === 'geoserver' ? geoserver : contract
}

/** True if a change of a task or target is answered with 204 and no body. */
export function answersChangeWithoutBody(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}

/** True if a target in a body may lack the name of its store. */
export function allowsUnnamedStore(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}

/** Returns the load modes of a task; UPSERT does not exist in the dialect. */
export function loadModesOf(dialect: Dialect): readonly LoadMode[] {
  return dialect === 'geoserver' ? updateModes : loadModes
}

/** True if responses and bodies have the fields that GeoServer does not have: keys, limits, proposals, titles. */
export function hasNewerFields(dialect: Dialect): boolean {
  return dialect === 'contract'
}

/** Returns the source name of the identity attribute, which the dialect does not show; undefined if nothing is hidden. */
export function findHiddenAttribute({ source }: TaskRecord, dialect: Dialect): string | undefined {
  if (dialect !== 'geoserver' || source === undefined) return undefined
  return identityAttribute(source.schema)?.name
}
