import type { FilteredTable } from '../../../downloads/filtered-tables.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { StyledLayer } from '../../../maps/drawing/map-drawings.ts'
import type { RequestBox } from '../../../stores/reading/feature-page-request.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { LayerFilter } from './layer-filters.ts'

interface FilteredMap {
  layers: readonly StyledLayer[]
  /** One per layer. */
  filters: readonly (LayerFilter | undefined)[]
  srs: string
  box: Envelope
}

/** Margin as a share of the map's sides: marks and labels extend into it from outside. */
const margin = 0.25

/** Gives `draw` the layers with the rows that their filters leave. */
export async function withFiltered<Drawn>(
  { filtered }: Pick<OwsDeps, 'filtered'>,
  { layers, filters, srs, box }: FilteredMap,
  signal: AbortSignal,
  draw: (layers: StyledLayer[]) => Promise<Drawn>,
): Promise<Drawn> {
  const tables: FilteredTable[] = []
  const near = boxAround(box, srs)
  try {
    const shown: StyledLayer[] = []
    for (const [at, styled] of layers.entries()) {
      const filter = filters[at]
      if (filter === undefined) shown.push(styled)
      else {
        const wish = { ...filter, ...(near === undefined ? {} : { box: near }) }
        const rows = await filtered.write(styled.layer, wish, signal)
        tables.push(rows)
        shown.push({ ...styled, rows })
      }
    }
    return await draw(shown)
  } finally {
    await Promise.all(tables.map((table) => table.close()))
  }
}

/** Undefined where the map goes around the earth, or beyond it. */
function boxAround({ minX, minY, maxX, maxY }: Envelope, srs: string): RequestBox | undefined {
  const [across, down] = [(maxX - minX) * margin, (maxY - minY) * margin]
  const box = { minX: minX - across, minY: minY - down, maxX: maxX + across, maxY: maxY + down }
  const half = srs === 'EPSG:3857' ? 20_037_508 : 180
  const isAround = Math.abs(box.minX) > half || Math.abs(box.maxX) > half
  if (srs === 'EPSG:3857' && isAround) return undefined
  if (isDegrees(srs) && (isAround || Math.abs(box.minY) > 90 || Math.abs(box.maxY) > 90)) return undefined
  return { boxes: [box], srs }
}

function isDegrees(srs: string): boolean {
  return findCrs(srs)?.kind === 'geographic'
}
