import { Failure, invalid } from '../../core/errors/errors.ts'
import type { InPlace, LayerRecord, Managed } from '../records.ts'

/** Ways of changing the rows of a layer. */
export type RowChangeKind = 'edit' | 'load'

const allowed: Record<RowChangeKind, readonly Managed[]> = { edit: ['edit', 'load'], load: ['load'] }
const names: Record<RowChangeKind, string> = { edit: 'edits', load: 'loads and restores' }

/** Returns why Terrane must not change the rows of a layer in this way, as a text for people; undefined if it may. */
export function whyNotManaged(layer: LayerRecord, kind: RowChangeKind): string | undefined {
  const { inPlace } = layer.details
  if (inPlace === undefined || allowed[kind].includes(inPlace.managed)) return undefined
  if (inPlace.format !== undefined)
    return `Layer "${layer.workspace}:${layer.name}" shows a raster that was published in place, which Terrane never changes: change its file, or import a copy under another name`
  const requested = allowed[kind].map((value) => `"${value}"`).join(' or ')
  return `Layer "${layer.workspace}:${layer.name}" shows a table that was published in place, with "managed": ${JSON.stringify(inPlace.managed)}. It takes no ${names[kind]}: set "managed" of the layer to ${requested}, or import a copy of the table`
}

/** Throws `Failure` (`notAllowed`) if Terrane must not change the rows of the layer in this way. */
export function requireManaged(layer: LayerRecord, kind: RowChangeKind): void {
  const reason = whyNotManaged(layer, kind)
  if (reason !== undefined) throw new Failure('notAllowed', 'not-managed', reason)
}

/** Throws `Failure` (`invalid`) if the table does not support the permitted changes. */
export function checkManaged(
  table: string,
  { managed, format, isFurtherGeometry }: Pick<InPlace, 'managed' | 'format' | 'isFurtherGeometry'>,
): void {
  if (managed !== false && format !== undefined)
    throw invalid(
      'not-managed',
      `"${table}" is a raster: Terrane never changes the file of one published in place`,
    )
  if (managed !== 'load' || isFurtherGeometry !== true) return
  throw invalid(
    'not-managed',
    `"${table}" is a further geometry column of a table: imports can replace only the whole table, through the layer of its first geometry column`,
  )
}
